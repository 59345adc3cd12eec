import Coordination
import Dispatch
import Foundation
import Storage

/// How the connections of a store are made.
struct PostgreSQLConnector: Sendable {
    let address: PostgreSQLAddress

    /// The server's limit of a statement.
    var statementTimeout: Duration

    /// The server's limit of the wait for a lock: for the writers of other processes.
    let lockTimeout: Duration

    /// The server's limit of a transaction without statements. A process that is stopped within a transaction would otherwise block all writers.
    let idleTimeout: Duration

    /// Ends the waits of all connections.
    let waits = WaitEnd()

    /// The UUID of the opened store. Transactions in a store that another process has put in its place fail; `nil` accepts each store.
    var store: [UInt8]?

    /// The time that an answer may take beyond the server's own limits.
    private static let slack = Duration.seconds(5)

    /// The same connections with another limit of a statement.
    func patient(_ timeout: Duration) -> PostgreSQLConnector {
        var patient = self
        patient.statementTimeout = timeout
        return patient
    }

    /// The same connections, for transactions of one store alone.
    func limited(to store: [UInt8]) -> PostgreSQLConnector {
        var limited = self
        limited.store = store
        return limited
    }

    /// Connects, and sets the schema and the limits. Blocks.
    func connect() throws -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(address, patience: statementTimeout + Self.slack, waits: waits, store: store)
        // The tables of a new store have no statistics, so the planner would prefer scans and sorts, and keep these plans while the tables grow. Each
        // query has an index in its order. A plan for all values saves the planning of each execution.
        try connection.execute(
            script: """
                SET search_path TO \(address.quotedSchema);
                SET statement_timeout = \(statementTimeout.wholeMilliseconds);
                SET lock_timeout = \(lockTimeout.wholeMilliseconds);
                SET idle_in_transaction_session_timeout = \(idleTimeout.wholeMilliseconds);
                SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
                SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
                SET enable_sort = off; SET jit = off; SET plan_cache_mode = force_generic_plan
                """)
        return connection
    }
}

/// Ends waits for a server that does not answer, before their own limit.
final class WaitEnd: Sendable {
    /// The interval at which a wait looks whether it has been ended.
    static let interval = Duration.milliseconds(500)

    private let instant = Lock<ContinuousClock.Instant?>(nil)

    /// Ends the waits that began before an instant.
    func end(begunBefore instant: ContinuousClock.Instant) {
        self.instant.withLock { $0 = max($0 ?? instant, instant) }
    }

    /// Whether a wait that began at `start` has been ended.
    func hasEnded(_ start: ContinuousClock.Instant) -> Bool {
        instant.withLock { $0.map { start < $0 } ?? false }
    }
}

extension Duration {
    /// The duration in milliseconds, at least 1: the server takes 0 for no limit.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(1, seconds.multipliedReportingOverflow(by: 1_000).partialValue + attoseconds / 1_000_000_000_000_000)
    }
}

/// A connection that is made when it is needed, and again after it was lost. One thread at a time uses it.
final class PostgreSQLSession {
    private let connector: PostgreSQLConnector
    private let prepare: @Sendable (PostgreSQLConnection) throws -> Void
    private var connection: PostgreSQLConnection?
    private var pause = ReconnectPause()
    private var isClosed = false

    /// The keys of the store's channels that a writer knows. Another server may lack the last ones.
    private(set) var channelKeys = ChannelKeys()

    /// - Parameter prepare: Called with each new connection.
    init(_ connector: PostgreSQLConnector, prepare: @escaping @Sendable (PostgreSQLConnection) throws -> Void = { _ in }) {
        self.connector = connector
        self.prepare = prepare
    }

    /// The connection. After a failed attempt the next ones fail at once for a time, so that callers do not wait for a server that is away.
    func connected() throws -> PostgreSQLConnection {
        guard !isClosed else { throw StorageError(.closed, "\(connector.address.description): the store was closed.") }
        connection?.checkIdle()
        if let connection, !connection.isLost { return connection }
        connection = nil
        try pause.check()
        do {
            let made = try connector.connect()
            try prepare(made)
            channelKeys = ChannelKeys()
            pause = ReconnectPause()
            connection = made
            return made
        } catch {
            pause.extend(after: error)
            throw error
        }
    }

    /// Makes a connection, whatever the pause. For the question whether a commit was made, which has its own limit.
    func reconnected() throws -> PostgreSQLConnection {
        connection = nil
        pause = ReconnectPause()
        return try connected()
    }

    /// The connection, without making one.
    func present() throws -> PostgreSQLConnection {
        guard let connection, !connection.isLost else { throw StorageError(lost: "it has ended", at: connector.address) }
        return connection
    }

    /// Ends the connection, for example because its server has become a standby.
    func drop() { connection = nil }

    func close() {
        connection = nil
        isClosed = true
    }
}

/// The time after a failed attempt to connect in which there is no other one.
struct ReconnectPause {
    private var failure: (error: any Error, end: ContinuousClock.Instant)?
    private(set) var length = Duration.milliseconds(50)

    private static let longest = Duration.seconds(5)

    /// Throws the error of the last attempt while the pause lasts.
    func check() throws {
        if let failure, failure.end > .now { throw failure.error }
    }

    /// Begins a pause, twice as long as the last one.
    mutating func extend(after error: any Error) {
        failure = (error, .now + length)
        extend()
    }

    /// Makes the next pause twice as long.
    mutating func extend() {
        length = min(length * 2, Self.longest)
    }
}

/// A session with a queue of its own, on which its waits block no thread of Swift's pool.
///
/// The lock proves that one thread at a time uses the session. Only the queue takes it, so nothing waits for it.
final class SessionLane: Sendable {
    private let queue: DispatchQueue
    private let session: Lock<PostgreSQLSession>

    init(_ label: String, _ session: sending PostgreSQLSession) {
        queue = DispatchQueue(label: label)
        self.session = Lock(session)
    }

    /// Runs `work` on the queue.
    func perform(_ work: @escaping @Sendable (PostgreSQLSession) -> Void) {
        queue.async { self.session.withLock { work($0) } }
    }

    /// Ends the connection after the present work. Blocks.
    func close() {
        queue.sync { session.withLock { $0.close() } }
    }
}
