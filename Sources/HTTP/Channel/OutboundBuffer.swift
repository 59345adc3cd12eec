import NIOCore
import Synchronization

/// Bytes on their way to a channel.
///
/// What tasks write between two turns of the event loop goes out as one write, and writers wait while more than
/// `highWater` bytes have not left for the socket. The order is that of the calls. More than `highWater` bytes, which a large document is at once, are
/// accounted for.
final class OutboundBuffer: Sendable {
    private struct State {
        var queue: [ByteBuffer] = []
        var queuedBytes = 0
        /// Bytes queued or handed to the channel and not yet flushed.
        var pendingBytes = 0
        var flushed: [@Sendable () -> Void] = []
        var isScheduled = false
        var isSealed = false
        var failure: (any Error)?
        /// Since when bytes have been pending without any of them getting through.
        var stalledSince: NIODeadline?
    }

    private static let highWater = 256 * 1024
    private static let lowWater = 64 * 1024
    /// Buffers up to this size are copied together, larger ones are passed on as they are.
    private static let gatherLimit = 8 * 1024

    private let channel: any Channel
    private let memory: MemoryShare
    private let state = Mutex(State())
    private let gate = Gate()

    /// - Parameter memory: What more than `highWater` bytes draw on. The connection ends where others need what it holds.
    init(channel: any Channel, memory: MemoryAccount = MemoryAccount()) {
        self.channel = channel
        self.memory = memory.share { channel.close(promise: nil) }
    }

    /// Queues bytes, and waits while too many are pending.
    ///
    /// - Throws: What the pipe failed with, an error when it is sealed, or `CancellationError` from waiting. The bytes are queued
    ///   in the last case.
    func write(_ bytes: ByteBuffer) async throws {
        try enqueue(bytes)
        try await gate.pass()
    }

    /// Queues bytes without waiting.
    ///
    /// - Throws: ``RequestError`` `unavailable` where others have all the memory that there is for clients.
    func enqueue(_ bytes: ByteBuffer) throws {
        try schedule { state in
            guard !state.isSealed else { throw ChannelError.outputClosed }
            guard hold(state.pendingBytes + bytes.readableBytes) else {
                throw RequestError(.unavailable, reason: "The answers to all clients take the memory that there is for them.")
            }
            Self.append(bytes, to: &state)
        }
    }

    private func hold(_ count: Int) -> Bool {
        memory.resize(to: count > Self.highWater ? count : 0)
    }

    /// Queues the last bytes: nothing can be written after them. Does nothing when already sealed.
    func seal(with bytes: ByteBuffer = ByteBuffer()) {
        // It fails when nothing can be written any more, which is what is wanted.
        try? schedule { state in
            guard !state.isSealed else { return }
            state.isSealed = true
            Self.append(bytes, to: &state)
        }
    }

    /// Calls `action` on the event loop when all that was queued before has left, or cannot leave any more.
    func whenFlushed(_ action: @escaping @Sendable () -> Void) {
        do {
            try schedule { $0.flushed.append(action) }
        } catch {
            channel.eventLoop.execute(action)
        }
    }

    /// Refuses all writers from now on, because the channel is gone.
    func fail(_ error: any Error) {
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

    /// Since when the peer has taken nothing of what is pending.
    var stalledSince: NIODeadline? { state.withLock { $0.stalledSince } }

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
        // An empty write completes when those before it have.
        channel.writeAndFlush(queue.last ?? ByteBuffer()).whenComplete { _ in
            self.left(size)
            for action in actions { action() }
        }
    }

    private func left(_ size: Int) {
        state.withLock { state in
            state.pendingBytes -= size
            // Less is always granted.
            _ = hold(state.pendingBytes)
            state.stalledSince = state.pendingBytes == 0 ? nil : .now()
            if state.pendingBytes <= Self.lowWater { gate.open() }
        }
    }
}
