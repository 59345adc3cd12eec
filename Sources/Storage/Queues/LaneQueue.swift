import DequeModule

/// Two queues of jobs: those for which somebody waits, and those of woken feeds.
struct LaneQueue<Context> {
    private var requests = TurnQueue<Context>()
    private var feeds = TurnQueue<Context>()

    /// How many requests have gone before feeds that wait.
    private var passed = 0

    /// How many requests go before a feed: feeds go on however many requests there are.
    private static var most: Int { 4 }

    var count: Int { requests.count + feeds.count }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ job: Job<Context>, _ share: ReadShare) {
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

    mutating func remove(_ id: UInt64, _ share: ReadShare) -> Job<Context>? {
        share.isFeed ? feeds.remove(id, of: share.client) : requests.remove(id, of: share.client)
    }
}

/// Jobs that wait, of clients that take turns: who has a thousand jobs does not hold up who has a single one.
struct TurnQueue<Context> {
    private var jobs: [Grantee?: Deque<Job<Context>>] = [:]

    /// The clients that have jobs, the next one first.
    private var clients: Deque<Grantee?> = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ job: Job<Context>, of client: Grantee?) {
        if jobs[client] == nil { clients.append(client) }
        jobs[client, default: []].append(job)
        count += 1
    }

    /// Takes a job of the client that has waited for the longest time since its last one.
    mutating func popFirst() -> Job<Context>? {
        guard let client = clients.popFirst(), let job = jobs[client]?.popFirst() else { return nil }
        count -= 1
        if jobs[client]?.isEmpty == true { jobs[client] = nil } else { clients.append(client) }
        return job
    }

    /// Takes a job out of its turn; `nil` if it is not here.
    mutating func remove(_ id: UInt64, of client: Grantee?) -> Job<Context>? {
        guard let index = jobs[client]?.firstIndex(where: { $0.id == id }), let job = jobs[client]?.remove(at: index) else { return nil }
        count -= 1
        if jobs[client]?.isEmpty == true {
            jobs[client] = nil
            clients.removeAll { $0 == client }
        }
        return job
    }
}
