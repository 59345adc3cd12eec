import BLIP

/// Where a task waits for a reply, or for its parts one by one.
final class ReplyInbox {
    private var events: [BLIPEvent] = []
    private var isClosed = false
    private let gate = Gate()

    func append(_ event: BLIPEvent) {
        events.append(event)
        gate.open()
    }

    /// Nothing more will come.
    func close() {
        isClosed = true
        gate.open()
    }

    /// The next part.
    ///
    /// - Throws: `unavailable` if the connection ends before it comes.
    func next(isolation: isolated (any Actor)? = #isolation) async throws -> BLIPEvent {
        while events.isEmpty, !isClosed {
            await gate.wait()
        }
        guard !events.isEmpty else { throw RequestError(.unavailable, "The connection has ended") }
        return events.removeFirst()
    }
}
