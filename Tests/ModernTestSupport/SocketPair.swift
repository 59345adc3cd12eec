import Coordination
import ModernProtocol

/// One end of a WebSocket in memory. It receives in batches, and limits the bytes in transit.
package actor SocketEnd: MessageSocket {
    package struct Broken: Error {
        package init() {}
    }

    private let capacity: Int
    private var arrived: [[UInt8]] = []
    private var arrivedBytes = 0
    private var isOver = false
    private var isBroken = false
    private var reader: CheckedContinuation<Void, Never>?
    private var writers: [CheckedContinuation<Void, Never>] = []
    private var other: SocketEnd?

    /// The code and reason with which the other end closed; `nil` if it dropped the connection, or has not closed it.
    package private(set) var closeCode: UInt16?
    package private(set) var closeReason: String?

    private init(capacity: Int) {
        self.capacity = capacity
    }

    package static func pair(capacity: Int = 1 << 20) async -> (SocketEnd, SocketEnd) {
        let ends = (SocketEnd(capacity: capacity), SocketEnd(capacity: capacity))
        await ends.0.connect(to: ends.1)
        await ends.1.connect(to: ends.0)
        return ends
    }

    private func connect(to other: SocketEnd) {
        self.other = other
    }

    package func receive() async throws -> [[UInt8]]? {
        while arrived.isEmpty, !isOver {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    if Task.isCancelled { continuation.resume() } else { reader = continuation }
                }
            } onCancel: {
                Task { await self.end(code: nil, reason: nil, isBroken: true) }
            }
            if Task.isCancelled { throw CancellationError() }
        }
        if isBroken { throw Broken() }
        guard !arrived.isEmpty else { return nil }
        let batch = arrived
        arrived = []
        arrivedBytes = 0
        writers.forEach { $0.resume() }
        writers = []
        return batch
    }

    package func send(_ messages: [[UInt8]]) async throws {
        guard !isOver, let other else { throw Broken() }
        try await other.deliver(messages)
    }

    private func deliver(_ messages: [[UInt8]]) async throws {
        guard !isOver else { throw Broken() }
        arrived += messages
        arrivedBytes += messages.reduce(0) { $0 + $1.count }
        reader?.resume()
        reader = nil
        if arrivedBytes > capacity { await withCheckedContinuation { writers.append($0) } }
    }

    package func close(code: UInt16, reason: String) async {
        await other?.end(code: code, reason: reason, isBroken: false)
        end(code: nil, reason: nil, isBroken: false)
    }

    package func drop() async {
        await other?.end(code: nil, reason: nil, isBroken: true)
        end(code: nil, reason: nil, isBroken: true)
    }

    private func end(code: UInt16?, reason: String?, isBroken: Bool) {
        guard !isOver else { return }
        isOver = true
        self.isBroken = isBroken
        closeCode = code
        closeReason = reason
        reader?.resume()
        reader = nil
        writers.forEach { $0.resume() }
        writers = []
    }
}
