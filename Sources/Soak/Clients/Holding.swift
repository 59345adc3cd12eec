import Synchronization

/// The documents that a client holds which follows a feed.
final class Holding: Sendable {
    /// The mark by which a client tells edits of a document apart.
    enum Mark { case revision, number }

    let account: Account
    let mark: Mark
    let scope: Scope
    private let state = Mutex<[String: String]>([:])

    init(_ account: Account, _ mark: Mark, scope: Scope = .flat) {
        self.account = account
        self.mark = mark
        self.scope = scope
    }

    var documents: [String: String] { state.withLock { $0 } }

    func take(_ id: String, _ mark: String) {
        state.withLock { $0[id] = mark }
    }

    /// Takes the number of an edit, unless a later one is here: the client's own edit and its row in the feed come in any order.
    func take(_ id: String, number: Int) {
        state.withLock { state in
            if let held = state[id].flatMap({ Int($0) }), held >= number { return }
            state[id] = "\(number)"
        }
    }
}
