import Coordination

/// The part of a feed that its follower may see, and the access that defines it, so that other commits do not wake the follower.
///
/// The filter holds until that access changes. From then on every commit concerns the follower, until it reads the feed again and calls `narrow`.
final class FeedInterest: Sendable {
    private struct State {
        /// Whether the follower may see a channel; `nil` if it may see everything.
        var covers: (@Sendable (ChannelPlace) -> Bool)?

        /// The users and roles that define the access; `nil` before the first `narrow`.
        var grantees: Set<Grantee>?

        /// The number of the latest commit from before the access was read.
        var mark: UInt64 = 0
    }

    private let state = Lock(State())

    func narrow(asOf mark: UInt64, by grantees: Set<Grantee>?, to covers: (@Sendable (ChannelPlace) -> Bool)?) {
        state.withLock { $0 = State(covers: covers, grantees: grantees, mark: mark) }
    }

    /// The users and roles that define the access; `nil` if every access change concerns the follower.
    var grantees: Set<Grantee>? { state.withLock { $0.grantees } }

    /// - Parameters:
    ///   - touchesScope: Whether documents of the follower's scope changed.
    ///   - touches: The access changes of all commits.
    func isConcerned(by commit: Commit, touchesScope: Bool, _ touches: AccessChangeLog) -> Bool {
        let (covers, grantees, mark) = state.withLock { ($0.covers, $0.grantees, $0.mark) }
        if commit.access.concerns(grantees) { return true }
        guard touchesScope else { return false }
        guard let channels = commit.channels, let covers, mark >= touches.last(of: grantees) else { return true }
        return channels.contains(where: covers)
    }
}

/// The number of the last commit that changed the access of each grantee.
struct AccessChangeLog {
    /// The limit of stored grantees. Above it the log is cleared, and the change counts as one of everyone's access.
    private static let maximumGrantees = 10_000

    private var last: UInt64 = 0
    private var everyone: UInt64 = 0
    private var grantees: [Grantee: UInt64] = [:]

    mutating func record(_ change: AccessChange, at number: UInt64) {
        guard !change.isEmpty else { return }
        last = number
        if case .of(let changed) = change {
            for grantee in changed { grantees[grantee] = number }
        }
        if change == .everyone || grantees.count > Self.maximumGrantees {
            everyone = number
            grantees = [:]
        }
    }

    /// The number of the last commit that changed the access of one of these grantees; for `nil`, of any grantee.
    func last(of asked: Set<Grantee>?) -> UInt64 {
        guard let asked else { return last }
        return asked.isEmpty ? 0 : asked.reduce(everyone) { max($0, grantees[$1] ?? 0) }
    }

    /// The access changes after a commit.
    func change(since seen: UInt64) -> AccessChange {
        guard last > seen else { return .none }
        return everyone > seen ? .everyone : .of(Set(grantees.filter { $0.value > seen }.keys))
    }
}
