import Documents
import Storage

/// Counts anew which documents the routes want elsewhere, where the routes are others than those by which they were counted.
///
/// Writes and moves keep the count while the routes stay the same. Each step is a small transaction; the journal is two settings of the store.
extension Database {
    private static var routesSetting: String { "misplaced.routes" }
    private static var cursorSetting: String { "misplaced.cursor" }

    /// Whether the count holds for the routes of the configuration.
    public func knowsMisplaced() async throws -> Bool {
        let routes = routesDigest
        return try await store.read { snapshot in
            try snapshot.setting(Self.routesSetting) == routes && snapshot.setting(Self.cursorSetting) == nil
        }
    }

    /// Looks at the next documents.
    ///
    /// - Returns: Whether there may be more.
    public func countMisplaced(limit: Int) async throws -> Bool {
        let routes = routesDigest
        let known = try await store.read { snapshot in
            (routes: try snapshot.setting(Self.routesSetting), cursor: try snapshot.setting(Self.cursorSetting).flatMap { Int64($0) })
        }
        let cursor: DocumentKey
        if known.routes == routes {
            guard let place = known.cursor else { return false }
            cursor = DocumentKey(place)
        } else {
            cursor = DocumentKey(0)
        }
        let candidates = try await store.read { try MoveCandidate.readAll(after: cursor, limit: limit, from: $0) }
        let wanted = try await matches(for: candidates)
        let database = self
        return try await store.write { transaction in
            for (candidate, match) in zip(candidates, wanted) {
                try database.mark(candidate, match, in: transaction)
            }
            try transaction.set(routes, forSetting: Self.routesSetting)
            try transaction.set(candidates.last?.record.key.map { String($0.value) }, forSetting: Self.cursorSetting)
            return !candidates.isEmpty
        }
    }

    /// Has misplaced documents counted anew when the store is served next, where a run has moved them by other routes than they were counted by.
    func forgetMisplaced(in transaction: any StoreTransaction) throws {
        guard try transaction.setting(Self.routesSetting) != routesDigest else { return }
        try transaction.set(nil, forSetting: Self.routesSetting)
    }

    private func mark(_ candidate: MoveCandidate, _ match: RouteMatch?, in transaction: any StoreTransaction) throws {
        // A document without a legacy ID is none of the routes' business, and a tombstone tells nothing of what it was. Whoever has written
        // meanwhile has marked it.
        guard let key = candidate.record.key, var document = try transaction.document(key), document.unifiedID != nil,
            !document.flags.contains(.deleted), document.winner == candidate.record.winner
        else { return }
        let place = match.flatMap { collections[$0.collection]?.key } ?? .default
        let flags = document.flags
        document.flags.setMembership(of: .misplaced, to: place != document.collection)
        if document.flags != flags { try transaction.update(document) }
    }

    private var routesDigest: String { AttachmentDigest.sha1(of: routesFingerprint.utf8).description }
}
