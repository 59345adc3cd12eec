/// A server that histories are played against, as URLs without a slash at the end.
struct Server: Sendable {
    enum Kind: Sendable {
        case gateway, bridge
    }

    var kind: Kind
    var publicURL: String
    var adminURL: String

    /// The public port's address for WebSockets.
    var socketURL: String { "ws" + publicURL.dropFirst("http".count) }

    /// How long a waiting feed may be silent before it counts as caught up, in milliseconds. A bridge reads before it waits. A Sync
    /// Gateway's time runs from the request on, so where rows are known to come, it gets more.
    func patience(expectsRows: Bool) -> Int {
        switch kind {
        case .bridge: 20
        case .gateway: expectsRows ? 500 : 60
        }
    }
}
