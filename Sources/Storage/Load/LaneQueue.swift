import DequeModule

/// Two queues of jobs: requests, whose callers wait for a reply, and woken feeds.
struct LaneQueue<Context> {
    private var requests = TurnQueue<Job<Context>>()
    private var feeds = TurnQueue<Job<Context>>()

    /// The number of consecutive requests that ran while feeds were pending.
    private var passed = 0

    /// The maximum number of requests before a pending feed, so that feeds progress under any load of requests.
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

/// Pending work by client. Clients take turns, so that a client with a thousand jobs does not delay a client with one.
struct TurnQueue<Work: Identifiable & Sendable>: Sendable {
    private var work: [Grantee?: Deque<Work>] = [:]

    /// The clients with pending work, in the order of their turns.
    private var clients: Deque<Grantee?> = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ piece: Work, of client: Grantee?) {
        if work[client] == nil { clients.append(client) }
        work[client, default: []].append(piece)
        count += 1
    }

    /// Removes and returns the next work of the client whose last turn is the longest ago.
    mutating func popFirst() -> Work? {
        guard let client = clients.popFirst(), let piece = work[client]?.popFirst() else { return nil }
        count -= 1
        if work[client]?.isEmpty == true { work[client] = nil } else { clients.append(client) }
        return piece
    }

    /// Removes work out of turn; `nil` if it is not in the queue.
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
