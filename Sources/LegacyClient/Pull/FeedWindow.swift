/// Reorders revisions that arrive in any order into the order of the server's feed. The next revision is ready; later revisions wait for it.
///
/// A repointed device continues before the first local document that it may lack. A document stored too early therefore costs each device all
/// rows stored after it; a document stored too late costs one row. So no revision overtakes one that is still expected, and a revision that
/// arrives after its place was passed does not wait.
struct FeedWindow<Element: Sendable>: Sendable {
    private enum Place: Sendable {
        case waiting(Element, size: Int)
        case passed
    }

    private let isOrdered: Bool
    private var places: [Int: Place] = [:]
    private var ready: [Element] = []

    /// The first place that is neither filled nor passed.
    private(set) var head = 0

    /// The bytes of elements that wait for an earlier place.
    private(set) var waitingSize = 0

    /// The bytes of elements that can be written.
    private(set) var readySize = 0

    /// - Parameter isOrdered: Whether the feed's order is kept. If not, each element is ready at once.
    init(isOrdered: Bool) {
        self.isOrdered = isOrdered
    }

    /// Adds an element that has arrived.
    ///
    /// - Parameter place: Its index in the feed's order, without gaps from 0.
    mutating func add(_ element: Element, size: Int, at place: Int) {
        guard isOrdered, place >= head, places[place] == nil else {
            ready.append(element)
            readySize += size
            return
        }
        places[place] = .waiting(element, size: size)
        waitingSize += size
        advance()
    }

    /// Marks a place for which later elements no longer wait: its element does not arrive, or arrives later.
    mutating func pass(_ place: Int) {
        guard isOrdered, place >= head, places[place] == nil else { return }
        places[place] = .passed
        advance()
    }

    /// Makes all waiting elements ready without waiting for earlier places.
    mutating func release() {
        for place in places.keys.sorted() {
            if case .waiting(let element, let size) = places[place] { makeReady(element, size) }
            places[place] = .passed
        }
    }

    /// Removes and returns the elements that can be written, in their order.
    mutating func takeReady() -> [Element] {
        defer {
            ready = []
            readySize = 0
        }
        return ready
    }

    private mutating func advance() {
        while let place = places.removeValue(forKey: head) {
            head += 1
            if case .waiting(let element, let size) = place { makeReady(element, size) }
        }
    }

    private mutating func makeReady(_ element: Element, _ size: Int) {
        waitingSize -= size
        ready.append(element)
        readySize += size
    }
}
