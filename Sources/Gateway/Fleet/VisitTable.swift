import Storage

/// Who has sent requests of late, and who has feeds open: what has yet to be written, and what was written a moment ago.
///
/// Its size is bounded by the number of open feeds and by ``limit``. Beyond that, newcomers are left out until there is room: those who fill it
/// are themselves seen, so nobody takes the clients for gone.
struct VisitTable {
    /// How often one visitor is written at most, in milliseconds.
    static let interval: Int64 = 60_000

    /// How often one is written that only keeps a feed open.
    static let openInterval: Int64 = 3_600_000

    private struct Entry {
        let firstSeen: Int64
        var lastSeen: Int64

        /// What was written last; `nil` for nothing yet.
        var written: Int64?
        var open = 0

        @discardableResult
        mutating func see(at now: Int64) -> Int64 {
            lastSeen = max(lastSeen, now)
            return lastSeen
        }
    }

    /// Visitors without open feeds, of one user and altogether.
    let limitOfUser: Int
    let limit: Int

    private var entries: [Visitor: Entry] = [:]
    private var counts: [String: Int] = [:]

    /// How many feeds are open.
    private(set) var openFeeds = 0

    init(limit: Int = 20_000, limitOfUser: Int = 1_000) {
        self.limit = limit
        self.limitOfUser = limitOfUser
    }

    /// How many visitors are remembered.
    var count: Int { entries.count }

    mutating func note(_ visitor: Visitor, at now: Int64) {
        if entries[visitor]?.see(at: now) != nil { return }
        guard entries.count < limit, counts[visitor.user, default: 0] < limitOfUser else { return }
        add(visitor, Entry(firstSeen: now, lastSeen: now))
    }

    /// A feed is open from now on. However many there are, each is remembered.
    mutating func open(_ visitor: Visitor, at now: Int64) {
        if entries[visitor] == nil { add(visitor, Entry(firstSeen: now, lastSeen: now)) }
        entries[visitor]?.see(at: now)
        entries[visitor]?.open += 1
        openFeeds += 1
    }

    mutating func close(_ visitor: Visitor, at now: Int64) {
        entries[visitor]?.see(at: now)
        entries[visitor]?.open -= 1
        openFeeds -= 1
    }

    /// How many clients of a generation have a feed open, or have been seen since a time.
    func clientCount(ofGeneration generation: Int, since time: Int64) -> Int {
        var found: Set<VisitingClient> = []
        for (visitor, entry) in entries where visitor.client.generation == generation && (entry.open > 0 || entry.lastSeen >= time) {
            found.insert(VisitingClient(user: visitor.user, client: visitor.client))
        }
        return found.count
    }

    /// How many feeds each client has open.
    var openFeedsByClient: [VisitingClient: Int] {
        var found: [VisitingClient: Int] = [:]
        for (visitor, entry) in entries where entry.open > 0 {
            found[VisitingClient(user: visitor.user, client: visitor.client), default: 0] += entry.open
        }
        return found
    }

    /// What is to be written now. What need not be remembered any more is forgotten.
    mutating func due(at now: Int64) -> [Visit] {
        var due: [Visit] = []
        for (visitor, entry) in entries {
            let lastSeen = entry.open > 0 ? max(now, entry.lastSeen) : entry.lastSeen
            guard let written = entry.written else {
                due.append(visitor.visit(from: entry.firstSeen, to: lastSeen))
                continue
            }
            // A clock that was set back is waited for no longer than that.
            let age = now >= written ? now - written : Self.openInterval
            if entry.lastSeen > written ? age >= Self.interval : entry.open > 0 && age >= Self.openInterval {
                due.append(visitor.visit(from: entry.firstSeen, to: lastSeen))
            } else if entry.open == 0, entry.lastSeen <= written, age >= Self.interval {
                remove(visitor)
            }
        }
        return due
    }

    /// Remembers that visits have been written.
    mutating func wrote(_ visits: [Visit]) {
        for visit in visits { entries[Visitor(visit)]?.written = visit.lastSeen }
    }

    private mutating func add(_ visitor: Visitor, _ entry: Entry) {
        entries[visitor] = entry
        counts[visitor.user, default: 0] += 1
    }

    private mutating func remove(_ visitor: Visitor) {
        entries[visitor] = nil
        let count = counts[visitor.user, default: 0] - 1
        counts[visitor.user] = count > 0 ? count : nil
    }
}
