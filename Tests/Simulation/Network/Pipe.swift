import ModernProtocol

/// One end of a WebSocket in memory.
actor Pipe: MessageSocket {
    private var arrived: [[UInt8]] = []
    private var isOver = false
    private var isBroken = false
    private var reader: CheckedContinuation<Void, Never>?
    private var other: Pipe?

    private init() {}

    static func pair() async -> (Pipe, Pipe) {
        let ends = (Pipe(), Pipe())
        await ends.0.connect(to: ends.1)
        await ends.1.connect(to: ends.0)
        return ends
    }

    private func connect(to other: Pipe) {
        self.other = other
    }

    func receive() async throws -> [[UInt8]]? {
        while arrived.isEmpty, !isOver {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    if Task.isCancelled { continuation.resume() } else { reader = continuation }
                }
            } onCancel: {
                Task { await self.end(isBroken: true) }
            }
            try Task.checkCancellation()
        }
        if isBroken { throw Disconnected() }
        guard !arrived.isEmpty else { return nil }
        defer { arrived = [] }
        return arrived
    }

    func send(_ messages: [[UInt8]]) async throws {
        guard !isOver, let other else { throw Disconnected() }
        try await other.deliver(messages)
    }

    private func deliver(_ messages: [[UInt8]]) throws {
        guard !isOver else { throw Disconnected() }
        arrived += messages
        wake()
    }

    func close(code: UInt16, reason: String) async {
        await other?.end(isBroken: false)
        end(isBroken: false)
    }

    func drop() async {
        await other?.end(isBroken: true)
        end(isBroken: true)
    }

    private func end(isBroken: Bool) {
        guard !isOver else { return }
        isOver = true
        self.isBroken = isBroken
        wake()
    }

    private func wake() {
        reader?.resume()
        reader = nil
    }
}
