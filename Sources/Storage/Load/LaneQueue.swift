import DequeModule

/// Two queues of jobs: those for which somebody waits, and those of woken feeds.
struct LaneQueue<Context> {
    private var requests = TurnQueue<Job<Context>>()
    private var feeds = TurnQueue<Job<Context>>()

    /// How many requests have gone before feeds that wait.
    private var passed = 0

    /// How many requests go before a feed: feeds go on however many requests there are.
    private static var most: Int { 4 }

    var count: Int { requests.count + feeds.count }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ job: Job<Context>, _ share: ReadPriority) {
        if share.isFeed { feeds.append(job, of: share.client) } else { requests.append(job, of: share.client) }
    }

    mutating func popFirst() -> Job<Context>? {
        guard !feeds.isEmpty else { return requests.popFirst() }
        guard !requests.isEmpty, passed < Self.most else {
            passed = 0
            return feeds.popFirst()
        }
        passed += 1
        return requests.popFirst()
    }

    mutating func remove(_ id: UInt64, _ share: ReadPriority) -> Job<Context>? {
        share.isFeed ? feeds.remove(id, of: share.client) : requests.remove(id, of: share.client)
    }
}

/// Work that waits, of clients that take turns: a client with a thousand pieces of work does not hold up a client with one.
struct TurnQueue<Work: Identifiable & Sendable>: Sendable {
    private var work: [Grantee?: Deque<Work>] = [:]

    /// The clients that have work, the next one first.
    private var clients: Deque<Grantee?> = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ piece: Work, of client: Grantee?) {
        if work[client] == nil { clients.append(client) }
        work[client, default: []].append(piece)
        count += 1
    }

    /// Takes a piece of work of the client that has waited for the longest time since its last one.
    mutating func popFirst() -> Work? {
        guard let client = clients.popFirst(), let piece = work[client]?.popFirst() else { return nil }
        count -= 1
        if work[client]?.isEmpty == true { work[client] = nil } else { clients.append(client) }
        return piece
    }

    /// Takes a piece of work out of its turn; `nil` if it is not here.
    mutating func remove(_ id: Work.ID, of client: Grantee?) -> Work? {
        guard let index = work[client]?.firstIndex(where: { $0.id == id }), let piece = work[client]?.remove(at: index) else { return nil }
        count -= 1
        if work[client]?.isEmpty == true {
            work[client] = nil
            clients.removeAll { $0 == client }
        }
        return piece
    }
}
