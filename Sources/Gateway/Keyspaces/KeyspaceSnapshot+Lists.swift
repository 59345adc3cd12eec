import Access
import Documents
public import Storage

/// Where a list has stopped, and how it goes on.
public struct ListEnd: Sendable {
    /// How the documents are found that a reader may see, who does not see all.
    public enum Plan: Sendable {
        /// By IDs at first. The end tells what is better from there on.
        case open
        /// All documents in the order of their IDs, of which those in sight are taken.
        case byIDs
        /// The documents of the reader's channels, sorted for each page.
        case byChannels
    }

    /// The ID at which to go on, where enough documents were looked at before the list was full; `nil` where nothing is left, or the list is full. The document
    /// with this ID may come again.
    public var next: String?
    public var plan: Plan
}

extension KeyspaceSnapshot {
    /// How many documents are looked at by their IDs before it is decided how to go on: most pages are full by then.
    private static var initialScan: Int { 1_000 }

    /// How many entries of channels are sorted for a page.
    private static var sorted: Int { 5_000 }

    /// To how many entries the search for a channel's first one amounts.
    private static var channelCost: Int { 10 }

    /// Documents in the order of their IDs.
    ///
    /// Who sees few documents of many gets them by channels: the list costs what the reader sees, not what the database holds.
    ///
    /// - Parameters:
    ///   - scan: How many documents are looked at in search of those that the reader may see.
    ///   - plan: How to search: what the end of the last page has told.
    @discardableResult
    public func list(
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

    /// The IDs of the documents in the reader's channels, in no order; `nil` where there are too many to be sorted for each page, or no channels decide.
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
            // An entry of a channel has the place at which the document came there, and the list tells the document's own.
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
