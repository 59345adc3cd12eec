import Access
import Documents
package import Storage

/// The end of a page of a list, and how the list continues.
package struct ListEnd: Sendable {
    /// How a list finds the documents that are visible to a reader with limited access.
    package enum Plan: Sendable {
        /// By IDs at first. The end of the page contains the better plan for the rest.
        case open
        /// Scans all documents in the order of their IDs, and skips invisible ones.
        case byIDs
        /// Sorts the documents of the reader's channels for each page.
        case byChannels
    }

    /// The ID at which to continue, if the scan limit was reached before the list was full; `nil` if no documents are left, or the list is full.
    /// The document with this ID may be listed again.
    package var next: String?
    package var plan: Plan
}

extension KeyspaceSnapshot {
    /// The number of documents that are scanned by ID before the plan is chosen: most pages are full by then.
    private static var initialScan: Int { 1_000 }

    /// The maximum number of channel entries that are sorted for a page.
    private static var sorted: Int { 5_000 }

    /// The cost of finding a channel's first entry, in entries.
    private static var channelCost: Int { 10 }

    /// Lists documents in the order of their IDs.
    ///
    /// For a reader with access to few documents, the list reads the reader's channels: the cost depends on the visible documents, not on the size
    /// of the database.
    ///
    /// - Parameters:
    ///   - scan: The maximum number of documents to scan for visible ones.
    ///   - plan: The plan from the end of the previous page.
    @discardableResult
    package func list(
        _ range: ListRange, limit: Int, scan: Int = .max, plan: ListEnd.Plan = .open, _ visit: (FeedRow) throws -> Bool
    ) throws -> ListEnd {
        guard !visibility.rights.isAdministrator else {
            try store.list(keyspace.scope, range: range, limit: limit, visit)
            return ListEnd(plan: .byIDs)
        }
        guard limit > 0 else { return ListEnd(plan: plan) }
        switch plan {
        case .open:
            let next = try listByIDs(range, limit: limit, scan: min(scan, Self.initialScan), visit)
            return ListEnd(next: next, plan: next == nil ? .open : try hasFewVisible() ? .byChannels : .byIDs)
        case .byChannels:
            guard let ids = try idsByChannels() else { fallthrough }
            try list(ids, in: range, limit: limit, visit)
            return ListEnd(plan: .byChannels)
        case .byIDs: return ListEnd(next: try listByIDs(range, limit: limit, scan: scan, visit), plan: .byIDs)
        }
    }

    private func hasFewVisible() throws -> Bool {
        guard let ids = try idsByChannels() else { return false }
        let all = try store.counts(keyspace.scope)
        return ids.count < (all.live + all.tombstones) / 4
    }

    private func listByIDs(_ range: ListRange, limit: Int, scan: Int, _ visit: (FeedRow) throws -> Bool) throws -> String? {
        var (seen, shown) = (0, 0)
        var last: String?
        try store.list(keyspace.scope, range: range, limit: scan) { row in
            seen += 1
            last = row.id
            guard try visibility.sees(row.key, in: row.collection) else { return true }
            shown += 1
            return try visit(row) && shown < limit
        }
        return seen == scan && shown < limit ? last : nil
    }

    /// The IDs of the documents in the reader's channels, unsorted; `nil` if there are too many to sort for each page, or access does not depend on
    /// channels.
    private func idsByChannels() throws -> [String]? {
        var ids: [DocumentKey: String] = [:]
        var left = Self.sorted
        for (collection, access) in keyspace.access(of: visibility.rights) {
            guard !access.seesEverything else { return nil }
            for channel in Set(access.channels.keys).union([ChannelAccess.everyone]) {
                left -= Self.channelCost
                guard left > 0 else { return nil }
                try store.channelFeed(channel, of: collection, in: keyspace.scope, FeedStretch(limit: left)) { row in
                    left -= 1
                    if row.leftWith == nil { ids[row.document.key] = row.document.id }
                    return true
                }
                guard left > 0 else { return nil }
            }
        }
        return Array(ids.values)
    }

    private func list(_ ids: [String], in range: ListRange, limit: Int, _ visit: (FeedRow) throws -> Bool) throws {
        func comes(_ a: String, before b: String) -> Bool {
            range.descending ? b.utf8.lexicographicallyPrecedes(a.utf8) : a.utf8.lexicographicallyPrecedes(b.utf8)
        }
        let asked = ids.filter { id in
            if let from = range.from, comes(id, before: from) { return false }
            guard let to = range.to else { return true }
            return comes(id, before: to) || range.includesTo && !comes(to, before: id)
        }
        var shown = 0
        for id in asked.sorted(by: comes) where shown < limit {
            var goesOn = true
            // A channel entry has the sequence at which the document entered the channel; the list shows the document's own sequence.
            let one = ListRange(from: id, to: id, includesDeleted: range.includesDeleted)
            try store.list(keyspace.scope, range: one, limit: 1) { row in
                shown += 1
                goesOn = try visit(row)
                return goesOn
            }
            guard goesOn else { return }
        }
    }
}
