import Storage
import Synchronization

/// Who uses a database by requests and open feeds, whether they write checkpoints or not.
///
/// A request costs a look into a table in memory. What it holds is written in groups, once a minute, and when the cutover is measured.
public final class Visits: Sendable {
    private let store: any Store
    private let table: Mutex<VisitTable>

    init(store: any Store, table: VisitTable = VisitTable()) {
        self.store = store
        self.table = Mutex(table)
    }

    /// Notes a request that was answered.
    public func note(_ visitor: Visitor) {
        let now = Timestamp.now
        table.withLock { $0.note(visitor, at: now) }
    }

    /// Notes a feed that stays open, for as long as what is returned is kept.
    public func open(_ visitor: Visitor) -> OpenVisit {
        let now = Timestamp.now
        table.withLock { $0.open(visitor, at: now) }
        return OpenVisit(visits: self, visitor: visitor)
    }

    fileprivate func close(_ visitor: Visitor) {
        let now = Timestamp.now
        table.withLock { $0.close(visitor, at: now) }
    }

    /// How many feeds are open.
    public var openFeeds: Int { table.withLock { $0.openFeeds } }

    /// How many feeds are open, by kind of client.
    package var openFeedsByKind: [ClientKind: Int] {
        openFeedsByClient.reduce(into: [:]) { $0[$1.key.client, default: 0] += $1.value }
    }

    var openFeedsByClient: [VisitingClient: Int] { table.withLock { $0.openFeedsByClient } }

    /// Writes what was noted, each visitor once a minute at most.
    ///
    /// - Parameter time: in milliseconds since 1970; `nil` for now.
    public func flush(at time: Int64? = nil) async throws {
        let now = time ?? Timestamp.now
        let due = table.withLock { $0.due(at: now) }
        guard !due.isEmpty else { return }
        try await store.write { try $0.note(due) }
        table.withLock { $0.wrote(due) }
    }

    /// How many clients of a generation were seen since a time, in milliseconds since 1970, or have a feed open now. A client is a user with a
    /// `User-Agent`; those who only write checkpoints count, too.
    public func clientCount(ofGeneration generation: Int, since time: Int64) async throws -> Int {
        try await flush()
        let written = try await store.read { try $0.clientCount(ofGeneration: generation, since: time) }
        // What was seen within the last minute may not be written yet.
        return max(written, table.withLock { $0.clientCount(ofGeneration: generation, since: time) })
    }
}

/// A feed that is open. It is closed when nobody keeps this any longer.
public final class OpenVisit: Sendable {
    private let visits: Visits
    private let visitor: Visitor

    fileprivate init(visits: Visits, visitor: Visitor) {
        self.visits = visits
        self.visitor = visitor
    }

    deinit { visits.close(visitor) }
}
