/// Revisions that come in any order and are written in the order of the server's feed: what is next is ready, and the rest waits for it.
///
/// A repointed device goes on before the first document here that it may lack. So a document that is stored too early costs each device all that is stored
/// after it, and one that is stored too late costs one row. That is why nothing overtakes what is still to come, and what comes again later
/// waits for nothing.
struct FeedWindow<Element: Sendable>: Sendable {
    private enum Place: Sendable {
        case waiting(Element, size: Int)
        case passed
    }

    private let isOrdered: Bool
    private var places: [Int: Place] = [:]
    private var ready: [Element] = []

    /// The first place of which it is not known what becomes of it.
    private(set) var head = 0

    /// Bytes of what waits for something before it.
    private(set) var waitingSize = 0

    /// Bytes of what can be written.
    private(set) var readySize = 0

    /// - Parameter isOrdered: Whether order counts; if not, all is ready at once.
    init(isOrdered: Bool) {
        self.isOrdered = isOrdered
    }

    /// Takes in what has come.
    ///
    /// - Parameter place: Its number in the feed's order, without gaps from 0 on.
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

    /// Nothing comes at this place, or it comes later and nothing waits for it.
    mutating func pass(_ place: Int) {
        guard isOrdered, place >= head, places[place] == nil else { return }
        places[place] = .passed
        advance()
    }

    /// Gives up the order of what waits: all of it is ready.
    mutating func release() {
        for place in places.keys.sorted() {
            if case .waiting(let element, let size) = places[place] { makeReady(element, size) }
            places[place] = .passed
        }
    }

    /// What can be written, in its order.
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
