/// What happens to the legacy upstream, or to the way there, in the middle of a replication: before a message of it, beginning with 0.
enum Trouble: Hashable, Sendable {
    /// A proxy answers so many requests itself, with a page.
    case proxy(status: Int, count: Int, before: Int)
    /// The session ends that the replication has logged in to.
    case sessionEnds(before: Int)
    /// Another server takes its place, which was made from its latest backup.
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
