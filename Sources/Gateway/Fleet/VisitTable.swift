import Storage

/// Recent visitors and open feeds in memory: visits that have to be written, and visits that were written recently.
///
/// The number of open feeds and ``limit`` bound its size. Beyond the limit, new visitors are not recorded until entries expire. The recorded
/// visitors still show that clients use the database.
struct VisitTable {
    /// The minimum interval between two writes of one visitor, in milliseconds.
    static let interval: Int64 = 60_000

    /// The minimum interval for a visitor that only has a feed open.
    static let openInterval: Int64 = 3_600_000

    private struct Entry {
        let firstSeen: Int64
        var lastSeen: Int64

        /// The last written `lastSeen`; `nil` before the first write.
        var written: Int64?
        var open = 0

        @discardableResult
        mutating func update(at now: Int64) -> Int64 {
            lastSeen = max(lastSeen, now)
            return lastSeen
        }
    }

    /// The maximum number of visitors without open feeds, of one user and in all.
    let limitOfUser: Int
    let limit: Int

    private var entries: [Visitor: Entry] = [:]
    private var counts: [String: Int] = [:]

    /// The number of open feeds.
    private(set) var openFeeds = 0

    init(limit: Int = 20_000, limitOfUser: Int = 1_000) {
        self.limit = limit
        self.limitOfUser = limitOfUser
    }

    /// The number of visitors in the table.
    var count: Int { entries.count }

    mutating func record(_ visitor: Visitor, at now: Int64) {
        if entries[visitor]?.update(at: now) != nil { return }
        guard entries.count < limit, counts[visitor.user, default: 0] < limitOfUser else { return }
        add(visitor, Entry(firstSeen: now, lastSeen: now))
    }

    /// Records an open feed. The limits do not apply to open feeds.
    mutating func open(_ visitor: Visitor, at now: Int64) {
        if entries[visitor] == nil { add(visitor, Entry(firstSeen: now, lastSeen: now)) }
        entries[visitor]?.update(at: now)
        entries[visitor]?.open += 1
        openFeeds += 1
    }

    mutating func close(_ visitor: Visitor, at now: Int64) {
        entries[visitor]?.update(at: now)
        entries[visitor]?.open -= 1
        openFeeds -= 1
    }

    /// The number of clients of a generation that have an open feed, or were seen since a time.
    func clientCount(ofGeneration generation: Int, since time: Int64) -> Int {
        var found: Set<VisitingClient> = []
        for (visitor, entry) in entries where visitor.client.generation == generation && (entry.open > 0 || entry.lastSeen >= time) {
            found.insert(VisitingClient(user: visitor.user, client: visitor.client))
        }
        return found.count
    }

    /// The number of open feeds of each client.
    var openFeedsByClient: [VisitingClient: Int] {
        var found: [VisitingClient: Int] = [:]
        for (visitor, entry) in entries where entry.open > 0 {
            found[VisitingClient(user: visitor.user, client: visitor.client), default: 0] += entry.open
        }
        return found
    }

    /// The visits that have to be written. Removes entries that are not needed any more.
    mutating func due(at now: Int64) -> [Visit] {
        var due: [Visit] = []
        for (visitor, entry) in entries {
            let lastSeen = entry.open > 0 ? max(now, entry.lastSeen) : entry.lastSeen
            guard let written = entry.written else {
                due.append(visitor.visit(from: entry.firstSeen, to: lastSeen))
                continue
            }
            // After the clock was set back, an entry is due at once.
            let age = now >= written ? now - written : Self.openInterval
            if entry.lastSeen > written ? age >= Self.interval : entry.open > 0 && age >= Self.openInterval {
                due.append(visitor.visit(from: entry.firstSeen, to: lastSeen))
            } else if entry.open == 0, entry.lastSeen <= written, age >= Self.interval {
                remove(visitor)
            }
        }
        return due
    }

    /// Records that visits have been written.
    mutating func markWritten(_ visits: [Visit]) {
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
