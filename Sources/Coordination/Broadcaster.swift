/// Passes elements to any number of subscribers, in order. It is a value in the state of its owner, which serialises the calls.
///
/// Sending never waits. A subscriber that is slower than the elements loses the oldest ones, never the latest. A subscription ends with
/// ``finish()``, with the cancellation of the task that waits for an element, and with the release of the sequence.
package struct Broadcaster<Element: Sendable>: Sendable {
    private let capacity: Int
    private var subscribers: [AsyncStream<Element>.Continuation] = []

    /// - Parameter capacity: The number of elements that are kept for each subscriber until it reads them.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// The elements from now on.
    ///
    /// - Parameter first: An element that only this subscriber receives, before all others; `nil` for none.
    package mutating func subscribe(beginningWith first: Element? = nil) -> AsyncStream<Element> {
        let (stream, subscriber) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(capacity))
        if let first { subscriber.yield(first) }
        subscribers.append(subscriber)
        return stream
    }

    /// Passes an element to all subscribers, and removes those that have ended.
    package mutating func send(_ element: Element) {
        subscribers = subscribers.filter { subscriber in
            if case .terminated = subscriber.yield(element) { return false }
            return true
        }
    }

    /// Ends all subscriptions. The subscribers receive the kept elements before the end.
    package func finish() {
        for subscriber in subscribers { subscriber.finish() }
    }
}
