import Documents
import Gateway
import Storage

extension Replication {
    /// The documents with local changes that the server may lack, according to the run or the last checkpoint: Couchbase Lite 1.x's
    /// `pendingDocumentIDs`. `nil` for a pull.
    ///
    /// - Throws: ``ReplicationError`` if the filter is not defined, or fails.
    public func pendingDocumentIDs() async throws -> Set<String>? {
        direction == .push ? try await pending(nil) : nil
    }

    /// Whether a document has local changes that the server may lack; always false for a pull. Faster than ``pendingDocumentIDs()``.
    ///
    /// - Throws: The same errors as ``pendingDocumentIDs()``.
    public func isDocumentPending(_ id: String) async throws -> Bool {
        direction == .push ? try await !pending(id).isEmpty : false
    }

    private func pending(_ id: String?) async throws -> Set<String> {
        let settings = settings
        var query = ChangesQuery()
        query.since = try await pushedPosition().flatMap { FeedPosition($0) } ?? .zero
        query.limit = limits.batch
        query.allLeaves = true
        query.documentIDs = settings.documentIDs.map { Set($0.map { ExactString($0) }) }
        if let id {
            guard query.documentIDs?.contains(ExactString(id)) ?? true else { return [] }
            query.documentIDs = [ExactString(id)]
        }
        var pending: Set<String> = []
        while true {
            let batch = try await localDatabase.changes(query)
            let rows = try await offered(batch.rows.filter { !$0.isRemoval && !$0.id.hasPrefix("_") }, settings)
            for row in rows where !pending.contains(row.id) {
                if try await passes(row, settings) { pending.insert(row.id) }
            }
            query.since = batch.position
            if batch.isCaughtUp { return pending }
        }
    }

    /// The rows without those that the legacy upstream's own feed has shown.
    private func offered(_ rows: [ChangeRow], _ settings: ReplicationSettings) async throws -> [ChangeRow] {
        guard settings.isUpstream else { return rows }
        let shown = try await localDatabase.shownUpstream(rows.map(\.sequence), in: url.base)
        return rows.filter { !shown.contains($0.sequence) }
    }

    /// Whether the push filter allows any of a document's leaves.
    private func passes(_ row: ChangeRow, _ settings: ReplicationSettings) async throws -> Bool {
        guard let name = settings.filter else { return true }
        guard let filter = settings.pushFilters[name] else {
            throw ReplicationError(.callback, "There is no push filter named \(name): define it before its documents are requested")
        }
        let leaves = LocalRevisionReader.leaves(of: [row])
        let contents = try await localDatabase.read { snapshot in
            try leaves.compactMap { try snapshot.document($0.id)?.content(of: $0.revision) }
        }
        do {
            return try await filter.allows(contents.map { PushedRevision($0) }, settings.filterParams).contains(true)
        } catch {
            throw ReplicationError(.callback, "The push filter \(name) failed", cause: error)
        }
    }
}
