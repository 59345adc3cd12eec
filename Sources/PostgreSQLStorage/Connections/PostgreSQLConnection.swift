import CPostgreSQL
import DequeModule
import Foundation
import Storage

/// A connection to PostgreSQL in libpq's pipeline mode. One thread at a time uses it.
///
/// Statements are sent without waiting for the results of the earlier ones. A result is read when it is needed, so a failure may be noticed at a
/// later statement. From then on every statement throws the failure, until ``recover()``.
///
/// Waits end after ``patience``, so a server that does not answer blocks no thread for ever.
final class PostgreSQLConnection {
    /// A statement that was sent, and whose result has not been read.
    private enum Pending {
        /// The preparation of the statement with this address.
        case preparation(UnsafePointer<UInt8>)

        /// A statement. A number of changed rows other than `changes` is the failure `otherwise`.
        case statement(changes: Int?, otherwise: StorageError?)

        /// A point up to which the server skips everything after a failure, and at which it begins to measure how long the transaction is idle.
        case end
    }

    let address: PostgreSQLAddress

    /// The UUID of the store that transactions are for; `nil` for any store.
    let store: [UInt8]?

    /// The longest wait for the server. It is longer than the server's own limits, which come first.
    private let patience: Duration

    private let waits: WaitEnd

    let handle: OpaquePointer
    private var pending: Deque<Pending> = []

    /// The prepared statements by the addresses of their literals.
    private var prepared: [UnsafePointer<UInt8>: String] = [:]
    private var lastName = 0

    /// Bytes that were sent since libpq's buffer was last empty.
    private var unsent = 0

    var values = StatementValues()

    /// The rows that are sent before the next other statement.
    private var rows = QueuedRows()

    /// The first failure since the last ``recover()``.
    private(set) var failure: ServerFailure?

    /// Whether the connection is broken. It cannot be used again.
    private(set) var isLost = false

    /// The number of sent statements and of queued rows that may have changed data.
    var writeCount: Int { sentWrites + rows.total }
    private var sentWrites = 0

    /// The number of sent statements that have to change a number of rows, and whose results have not been read.
    private(set) var expectations = 0

    /// The result of the last statement that was read.
    private var lastResult: PostgreSQLResult?

    /// Bytes after which they are sent. libpq sends by itself after 64 KiB, but without an end of the pipeline. A server that waits behind such an
    /// end alone notices that this process has been stopped.
    private static let mostUnsent = 48 << 10

    /// Statements that were sent since the last results were read.
    private var unread = 0

    /// The statements after which a sender reads the results that have arrived.
    private static let mostUnread = 256

    /// Connects. Blocks for at most the address's `connect_timeout` for each host.
    init(_ address: PostgreSQLAddress, patience: Duration, waits: WaitEnd = WaitEnd(), store: [UInt8]? = nil) throws {
        self.address = address
        self.store = store
        self.patience = patience
        self.waits = waits
        guard let handle = LibPQ.connect(address.parameters) else {
            throw StorageError(.busy, "\(address.description): there is no memory for a connection.")
        }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else {
            throw StorageError(
                refused: LibPQ.message(handle), needsPassword: PQconnectionNeedsPassword(handle) == 1, at: address)
        }
        // Without this, libpq prints the server's notices.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
            throw StorageError(lost: LibPQ.message(handle), at: address)
        }
    }

    deinit { PQfinish(handle) }

    /// Marks the connection as broken, because its state is unknown.
    func giveUp() { isLost = true }

    /// The socket, for an event source.
    var socket: Int32 { PQsocket(handle) }

    /// Notices a connection that the server has closed while it was not used.
    func checkIdle() {
        guard !isLost else { return }
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return }
        try? readArrived()
        if PQstatus(handle) != CONNECTION_OK { isLost = true }
    }

    /// The notifications that have arrived, with their senders' process IDs.
    func notifications() throws -> [String] {
        guard PQconsumeInput(handle) == 1 else { throw lost() }
        var payloads: [String] = []
        while let notification = PQnotifies(handle) {
            payloads.append(String(cString: notification.pointee.extra))
            PQfreemem(notification)
        }
        return payloads
    }
}

// MARK: Sending

extension PostgreSQLConnection {
    /// Sends a statement with the bound ``values``.
    ///
    /// - Parameters:
    ///   - types: The types of the values.
    ///   - isWrite: Whether it may change data.
    ///   - changes: The number of rows that it has to change; `nil` for any.
    ///   - otherwise: The failure if it changes another number.
    func send(_ sql: StaticString, types: [UInt32], isWrite: Bool, changes: Int? = nil, otherwise: StorageError? = nil) throws {
        if let failure { throw failure.error }
        guard !isLost else { throw lost() }
        let name = try prepare(sql, types)
        guard LibPQ.send(handle, name, values) else { throw lost() }
        pending.append(.statement(changes: changes, otherwise: otherwise))
        if isWrite { sentWrites += 1 }
        if changes != nil { expectations += 1 }
        unsent += values.bytes.count + name.utf8.count + 64
        unread += 1
        if unsent > Self.mostUnsent { try push() }
        if unread > Self.mostUnread { try readArrived() }
    }

    /// Queues a row with the bound ``values`` for a statement that inserts many rows. The statement takes an array for each column.
    func queue(_ sql: StaticString, types: [UInt32]) throws {
        if let failure { throw failure.error }
        guard !isLost else { throw lost() }
        rows.append(values, types, to: sql)
        guard rows.isFull else { return }
        try sendRows()
        try push()
    }

    /// Sends the queued rows.
    func sendRows() throws {
        guard !rows.isEmpty else { return }
        for batch in rows.take() {
            batch.bind(to: &values)
            try send(batch.sql, types: batch.types.map(BinaryArray.type), isWrite: false)
        }
    }

    private func prepare(_ sql: StaticString, _ types: [UInt32]) throws -> String {
        if let name = prepared[sql.utf8Start] { return name }
        lastName += 1
        let name = "s\(lastName)"
        guard PQsendPrepare(handle, name, sql.description, Int32(types.count), types) == 1 else { throw lost() }
        prepared[sql.utf8Start] = name
        pending.append(.preparation(sql.utf8Start))
        return name
    }

    /// Sends everything that libpq has buffered. Reads meanwhile, because a server whose results nobody reads stops reading.
    func flush() throws {
        while true {
            switch PQflush(handle) {
            case 0:
                unsent = 0
                return
            case 1:
                try wait(isWriting: true)
                guard PQconsumeInput(handle) == 1 else { throw lost() }
            default: throw lost()
            }
        }
    }

    /// Sends everything, with an end of the pipeline, without waiting for the results.
    func push() throws {
        guard !isLost, PQpipelineSync(handle) == 1 else { throw lost() }
        pending.append(.end)
        try flush()
    }
}

// MARK: Receiving

extension PostgreSQLConnection {
    /// Waits for the results of all statements.
    ///
    /// - Returns: The result of the last one.
    /// - Throws: The first failure.
    @discardableResult
    func receive() throws -> PostgreSQLResult? {
        try sendRows()
        try complete()
        if let failure { throw failure.error }
        defer { lastResult = nil }
        return lastResult
    }

    /// Waits for the results of all statements, and forgets their failure. The transaction has to be rolled back, wholly or to a savepoint, before
    /// it can go on.
    func recover() throws {
        rows.removeAll()
        try complete()
        failure = nil
        lastResult = nil
    }

    private func complete() throws {
        guard !isLost else { throw lost() }
        guard let last = pending.last else { return }
        if case .end = last {} else { try push() }
        while !pending.isEmpty { try receiveNext() }
        (unread, expectations) = (0, 0)
    }

    /// Reads the results that have arrived already.
    private func readArrived() throws {
        unread = 0
        guard PQconsumeInput(handle) == 1 else { throw lost() }
        while !pending.isEmpty, PQisBusy(handle) == 0 { try receiveNext() }
    }

    /// Reads the result of the first pending statement.
    private func receiveNext() throws {
        guard let first = pending.first else { return }
        while let result = try nextResult() {
            switch result.status {
            case PGRES_PIPELINE_SYNC:
                pending.removeFirst()
                return
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
                lastResult = result
                if case .statement(let expected?, let error?) = first, result.changes != expected, failure == nil {
                    failure = ServerFailure(error)
                }
            default:
                // The transaction may have been committed before the server was told to end the connection.
                if result.isFatal { throw lost(result) }
                if result.status != PGRES_PIPELINE_ABORTED, failure == nil { failure = ServerFailure(result, at: address) }
                // A statement whose preparation was skipped or refused is prepared again at its next use.
                if case .preparation(let literal) = first { prepared[literal] = nil }
            }
        }
        pending.removeFirst()
    }

    /// The next part of the first pending statement's result; `nil` at its end.
    func nextResult() throws -> PostgreSQLResult? {
        while PQisBusy(handle) == 1 {
            try wait(isWriting: false)
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
        guard let result = PQgetResult(handle) else {
            guard PQstatus(handle) == CONNECTION_OK else { throw lost() }
            return nil
        }
        let wrapped = PostgreSQLResult(result)
        guard PQstatus(handle) == CONNECTION_OK else { throw lost(wrapped) }
        return wrapped
    }

    /// Waits until the socket can be read, or written where `isWriting`.
    func wait(isWriting: Bool) throws {
        let start = ContinuousClock.now
        let deadline = start + patience
        var entry = pollfd(fd: socket, events: Int16(POLLIN) | (isWriting ? Int16(POLLOUT) : 0), revents: 0)
        while true {
            let left = deadline - .now
            guard left > .zero else { throw lost("the server did not answer in \(patience)") }
            let (seconds, attoseconds) = min(left, WaitEnd.interval).components
            let found = poll(&entry, 1, Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1))
            if found > 0 { return }
            guard found == 0 || errno == EINTR else { throw lost("poll: \(String(cString: strerror(errno)))") }
            guard !waits.hasEnded(start) else { throw lost("the server does not answer") }
        }
    }

    /// Marks the connection as broken.
    ///
    /// - Parameter result: The server's last words, such as the reason of a shutdown.
    func lost(_ result: PostgreSQLResult? = nil) -> StorageError {
        let words = result?.error(UInt8(ascii: "M")) ?? ""
        return lost(words.isEmpty ? LibPQ.message(handle) : words)
    }

    private func lost(_ reason: String) -> StorageError {
        isLost = true
        let error = StorageError(lost: reason, at: address)
        failure = failure ?? ServerFailure(error)
        return error
    }
}

// MARK: Scripts

extension PostgreSQLConnection {
    /// Runs several statements in one text, without values, and waits for them. They are one transaction unless the text says otherwise.
    ///
    /// Pipeline mode has no such texts, so it is left meanwhile.
    func execute(script: String) throws {
        try receive()
        guard !isLost, PQexitPipelineMode(handle) == 1, PQsendQuery(handle, script) == 1 else { throw lost() }
        try flush()
        var refusal: ServerFailure?
        while let result = try nextResult() {
            let isFine = result.status == PGRES_COMMAND_OK || result.status == PGRES_TUPLES_OK || result.status == PGRES_EMPTY_QUERY
            if !isFine, refusal == nil { refusal = ServerFailure(result, at: address) }
        }
        guard PQenterPipelineMode(handle) == 1 else { throw lost() }
        if let refusal { throw refusal.error }
    }
}
