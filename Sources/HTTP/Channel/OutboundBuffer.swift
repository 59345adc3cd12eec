import Coordination
package import NIOCore

/// Buffers bytes that are written to a channel.
///
/// - All bytes that tasks write between two turns of the event loop go out in one write, in the order of the calls.
/// - Writers wait while more than `highWater` bytes have not been written to the socket.
/// - More than `highWater` bytes, which a single large document can have, are charged to the ``MemoryAccount``.
package final class OutboundBuffer: Sendable {
    private struct State {
        var queue: [ByteBuffer] = []
        var queuedBytes = 0
        /// Bytes queued or handed to the channel and not yet flushed.
        var pendingBytes = 0
        var flushed: [@Sendable () -> Void] = []
        var isScheduled = false
        var isSealed = false
        var failure: (any Error)?
        /// The time since which bytes have been pending without progress.
        var stalledSince: NIODeadline?
    }

    private static let highWater = 256 * 1024
    private static let lowWater = 64 * 1024
    /// Buffers up to this size are copied together; larger ones are passed on without copying.
    private static let gatherLimit = 8 * 1024

    private let channel: any Channel
    private let memory: MemoryShare
    private let state = Lock(State())
    private let gate = FlowGate()

    /// - Parameter memory: The account for more than `highWater` bytes. Eviction closes the connection.
    package init(channel: any Channel, memory: MemoryAccount = MemoryAccount()) {
        self.channel = channel
        self.memory = memory.share { channel.close(promise: nil) }
    }

    /// Queues bytes, and waits while too many are pending.
    ///
    /// - Throws: The error of ``fail(_:)``, an error if the buffer is sealed, or `CancellationError` from waiting. In the last case the bytes
    ///   are queued.
    package func write(_ bytes: ByteBuffer) async throws {
        try enqueue(bytes)
        try await gate.pass()
    }

    /// Queues bytes without waiting.
    ///
    /// - Throws: ``RequestError`` `unavailable` if the memory account refuses the bytes.
    package func enqueue(_ bytes: ByteBuffer) throws {
        try schedule { state in
            guard !state.isSealed else { throw ChannelError.outputClosed }
            guard reserve(state.pendingBytes + bytes.readableBytes) else {
                throw RequestError(.unavailable, reason: "The memory for answers to clients is used up.")
            }
            Self.append(bytes, to: &state)
        }
    }

    private func reserve(_ count: Int) -> Bool {
        memory.resize(to: count > Self.highWater ? count : 0)
    }

    /// Queues the last bytes; later writes fail. Does nothing if already sealed.
    package func seal(with bytes: ByteBuffer = ByteBuffer()) {
        // An error means that nothing can be written any more, which is the purpose of sealing.
        try? schedule { state in
            guard !state.isSealed else { return }
            state.isSealed = true
            Self.append(bytes, to: &state)
        }
    }

    /// Calls `action` on the event loop when all bytes queued before have been written, or cannot be written any more.
    package func whenFlushed(_ action: @escaping @Sendable () -> Void) {
        do {
            try schedule { $0.flushed.append(action) }
        } catch {
            channel.eventLoop.execute(action)
        }
    }

    /// Fails all current and later writers, because the channel is closed.
    package func fail(_ error: any Error) {
        let actions = state.withLock { state in
            if state.failure == nil { state.failure = error }
            state.queue = []
            state.stalledSince = nil
            defer { state.flushed = [] }
            return state.flushed
        }
        gate.fail(error)
        for action in actions { channel.eventLoop.execute(action) }
    }

    /// The time since which the peer has accepted none of the pending bytes; nil if none are pending.
    package var stalledSince: NIODeadline? { state.withLock { $0.stalledSince } }

    private static func append(_ bytes: ByteBuffer, to state: inout State) {
        guard bytes.readableBytes > 0 else { return }
        if state.pendingBytes == 0 { state.stalledSince = .now() }
        state.queuedBytes += bytes.readableBytes
        state.pendingBytes += bytes.readableBytes
        if bytes.readableBytes <= gatherLimit, let last = state.queue.indices.last,
            state.queue[last].readableBytes <= gatherLimit
        {
            state.queue[last].writeImmutableBuffer(bytes)
        } else {
            state.queue.append(bytes)
        }
    }

    private func schedule(_ change: (inout State) throws -> Void) throws {
        let mustSchedule = try state.withLock { state in
            if let failure = state.failure { throw failure }
            try change(&state)
            if state.pendingBytes > Self.highWater { gate.close() }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { channel.eventLoop.execute { self.flush() } }
    }

    private func flush() {
        let (queue, size, actions) = state.withLock { state in
            let taken = (state.queue, state.queuedBytes, state.flushed)
            state.queue = []
            state.queuedBytes = 0
            state.flushed = []
            state.isScheduled = false
            return taken
        }
        for buffer in queue.dropLast() { channel.write(buffer, promise: nil) }
        // An empty write completes when the preceding writes have.
        channel.writeAndFlush(queue.last ?? ByteBuffer()).whenComplete { _ in
            self.written(size)
            for action in actions { action() }
        }
    }

    private func written(_ size: Int) {
        state.withLock { state in
            state.pendingBytes -= size
            // A smaller size is always granted.
            _ = reserve(state.pendingBytes)
            state.stalledSince = state.pendingBytes == 0 ? nil : .now()
            if state.pendingBytes <= Self.lowWater { gate.open() }
        }
    }
}
