import Coordination
import Dispatch
import Storage

/// Receives the notifications of other processes' commits on a connection of its own, and connects again after it was lost.
///
/// A store works without it: then followers learn of other processes' commits from the polls.
final class CommitListener: Sendable {
    private struct State {
        var session: PostgreSQLSession
        var source: (any DispatchSourceRead)?
        var pause = ReconnectPause()
        var isClosed = false
    }

    private let queue = DispatchQueue(label: "store.listener")
    private let state: Lock<State>
    private let channel: String
    private let writer: String
    private let ledger: CommitLedger

    /// - Parameters:
    ///   - channel: The channel of notifications; a name without quotes.
    ///   - writer: The UUID of the opened store, whose own commits are known.
    init(_ session: sending PostgreSQLSession, channel: String, writer: [UInt8], ledger: CommitLedger) {
        state = Lock(State(session: session))
        self.channel = channel
        self.writer = CommitNotice.name(of: writer)
        self.ledger = ledger
    }

    deinit { state.withLock { Self.stop(&$0) } }

    /// Whether notifications arrive at present.
    var isListening: Bool { state.withLock { $0.source != nil } }

    /// Begins to listen.
    func start() { queue.async { self.connect() } }

    /// Ends the connection. Blocks.
    func close() {
        queue.sync {
            state.withLock { state in
                state.isClosed = true
                Self.stop(&state)
            }
        }
        // After the source, whose end is work of the queue.
        queue.sync { state.withLock { $0.session.close() } }
    }

    private func connect() {
        let isListening = state.withLock { state in
            guard !state.isClosed, let socket = try? listen(state.session) else { return false }
            state.pause = ReconnectPause()
            let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
            source.setEventHandler { [weak self] in self?.receive() }
            source.activate()
            state.source = source
            return true
        }
        // Notifications that arrived with the answers to statements do not make the socket readable again.
        if isListening { receive() } else { connectLater() }
    }

    /// Listens, and then publishes the commits from before it.
    ///
    /// - Returns: The connection's socket.
    private func listen(_ session: PostgreSQLSession) throws -> Int32 {
        let connection = try session.reconnected()
        try connection.execute(script: "LISTEN \(channel)")
        try PostgreSQLSnapshot.read(connection) { try ledger.reach(in: $0) }
        try connection.receive()
        return connection.socket
    }

    private func receive() {
        let isLost = state.withLock { state in
            guard state.source != nil else { return false }
            do {
                let connection = try state.session.present()
                for payload in try connection.notifications() { try publish(payload, connection) }
                return false
            } catch {
                Self.stop(&state)
                return true
            }
        }
        if isLost { connectLater() }
    }

    private func publish(_ payload: String, _ connection: PostgreSQLConnection) throws {
        guard let notice = CommitNotice(payload: payload), notice.writer != writer else { return }
        if let commit = notice.commit { return ledger.publish(commit, number: notice.number) }
        try PostgreSQLSnapshot.read(connection) { try ledger.reach(in: $0) }
        try connection.receive()
    }

    private func connectLater() {
        let pause: Duration? = state.withLock { state in
            guard !state.isClosed else { return nil }
            defer { state.pause.extend() }
            return state.pause.length
        }
        guard let pause else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(pause.wholeMilliseconds))) { [weak self] in self?.connect() }
    }

    /// Ends the source before the connection, whose socket it watches.
    private static func stop(_ state: inout State) {
        state.source?.cancel()
        state.source = nil
    }
}
