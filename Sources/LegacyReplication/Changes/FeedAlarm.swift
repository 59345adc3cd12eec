import Synchronization

/// What wakes an idle feed, gathered for its one reader. What comes several times before the reader looks counts once.
final class FeedAlarm: Sendable {
    struct Events: OptionSet, Sendable {
        let rawValue: UInt8

        /// Something was committed.
        static let commit = Events(rawValue: 1)
        /// The client wants a sign of life.
        static let heartbeat = Events(rawValue: 2)
        /// The feed has lived long enough.
        static let timeout = Events(rawValue: 4)
        /// Nothing will be committed any more, or the server wants to stop.
        static let end = Events(rawValue: 8)
    }

    private let events = Mutex(Events())
    private let bell: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation

    init() {
        (bell, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func raise(_ event: Events) {
        events.withLock { _ = $0.insert(event) }
        ring.yield()
    }

    /// Waits until something is raised, and takes it.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, which is when the client leaves.
    func next() async throws -> Events {
        while true {
            let taken = events.withLock { events in
                defer { events = [] }
                return events
            }
            if !taken.isEmpty { return taken }
            var bells = bell.makeAsyncIterator()
            guard await bells.next() != nil else { throw CancellationError() }
        }
    }
}
