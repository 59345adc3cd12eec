import Coordination
import Storage

/// Records the users of a database by their requests and open feeds, whether they write checkpoints or not.
///
/// A request costs a lookup in an in-memory table. The table is written in groups once a minute, and before a cutover measurement.
package final class Visits: Sendable {
    private let store: any Store
    private let table: Lock<VisitTable>

    init(store: any Store, table: VisitTable = VisitTable()) {
        self.store = store
        self.table = Lock(table)
    }

    /// Records a completed request.
    package func note(_ visitor: Visitor) {
        let now = Timestamp.now
        table.withLock { $0.record(visitor, at: now) }
    }

    /// Records an open feed, until the returned object is released.
    package func open(_ visitor: Visitor) -> OpenVisit {
        let now = Timestamp.now
        table.withLock { $0.open(visitor, at: now) }
        return OpenVisit(visits: self, visitor: visitor)
    }

    fileprivate func close(_ visitor: Visitor) {
        let now = Timestamp.now
        table.withLock { $0.close(visitor, at: now) }
    }

    /// The number of open feeds.
    package var openFeeds: Int { table.withLock { $0.openFeeds } }

    /// The number of open feeds by kind of client.
    package var openFeedsByKind: [ClientKind: Int] {
        openFeedsByClient.reduce(into: [:]) { $0[$1.key.client, default: 0] += $1.value }
    }

    var openFeedsByClient: [VisitingClient: Int] { table.withLock { $0.openFeedsByClient } }

    /// Writes the recorded visits, each visitor once a minute at most.
    ///
    /// - Parameter time: in milliseconds since 1970; `nil` for the current time.
    package func flush(at time: Int64? = nil) async throws {
        let now = time ?? Timestamp.now
        let due = table.withLock { $0.due(at: now) }
        guard !due.isEmpty else { return }
        try await store.write { try $0.note(due) }
        table.withLock { $0.markWritten(due) }
    }

    /// The number of clients of a generation that were seen since a time, in milliseconds since 1970, or have an open feed. A client is a user with
    /// a `User-Agent`. Clients that only write checkpoints count, too.
    package func clientCount(ofGeneration generation: Int, since time: Int64) async throws -> Int {
        try await flush()
        let written = try await store.read { try $0.clientCount(ofGeneration: generation, since: time) }
        // Visits of the last minute may not have been written yet.
        return max(written, table.withLock { $0.clientCount(ofGeneration: generation, since: time) })
    }
}

/// An open feed. Releasing the object closes the feed's visit.
package final class OpenVisit: Sendable {
    private let visits: Visits
    private let visitor: Visitor

    fileprivate init(visits: Visits, visitor: Visitor) {
        self.visits = visits
        self.visitor = visitor
    }

    deinit { visits.close(visitor) }
}
