import Documents
import Storage

/// Recounts the documents that the routes want in another collection, after a change of the routes.
///
/// Writes and moves maintain the count while the routes stay the same. Each step is a small transaction; two settings of the store persist the
/// progress.
extension Database {
    private static var routesSetting: String { "misplaced.routes" }
    private static var cursorSetting: String { "misplaced.cursor" }

    /// Whether the count is complete for the configured routes.
    package func knowsMisplaced() async throws -> Bool {
        let routes = routesDigest
        return try await store.read { snapshot in
            try snapshot.setting(Self.routesSetting) == routes && snapshot.setting(Self.cursorSetting) == nil
        }
    }

    /// Counts the next documents.
    ///
    /// - Returns: Whether there may be more.
    package func countMisplaced(limit: Int) async throws -> Bool {
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

    /// Requests a recount when the store is served next, if a run moved documents by other routes than the counted ones.
    func forgetMisplaced(in transaction: any StoreTransaction) throws {
        guard try transaction.setting(Self.routesSetting) != routesDigest else { return }
        try transaction.set(nil, forSetting: Self.routesSetting)
    }

    private func mark(_ candidate: MoveCandidate, _ match: RouteMatch?, in transaction: any StoreTransaction) throws {
        // Routes do not apply to a document without a legacy ID, and a tombstone has no properties to match. A concurrent write has updated the
        // flag itself.
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
