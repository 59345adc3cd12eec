/// An event of the legacy upstream, or of the network, in the middle of a replication: before one of its messages, counted from 0.
enum Trouble: Hashable, Sendable {
    /// A proxy replies to some requests with a page.
    case proxy(status: Int, count: Int, before: Int)
    /// The session of the replication's login ends.
    case sessionEnds(before: Int)
    /// A server from the latest backup replaces the upstream.
    case restored(before: Int)

    var happening: Happening {
        switch self {
        case .proxy: .proxyAnswered
        case .sessionEnds: .sessionEnded
        case .restored: .restoredUnderway
        }
    }
}

extension Trouble: CustomStringConvertible {
    var description: String {
        switch self {
        case .proxy(let status, let count, let position): "before message \(position) a proxy begins to answer \(count) with \(status)"
        case .sessionEnds(let position): "before message \(position) the session ends"
        case .restored(let position): "before message \(position) a restored server takes its place"
        }
    }
}
