import Synchronization

/// What of a feed its follower may see, and by whose access, so that commits that change nothing of it need not wake him.
///
/// What may be seen holds until that access changes: from then on every commit concerns him, until he has read the feed anew and said what he may
/// see now.
final class FeedInterest: Sendable {
    private struct State {
        /// `nil` for everything.
        var covers: (@Sendable (ChannelPlace) -> Bool)?

        /// The users and roles whose access it is; `nil` while nothing was said.
        var grantees: Set<Grantee>?

        /// The number of a commit before what he may see was looked up.
        var mark: UInt64 = 0
    }

    private let state = Mutex(State())

    func narrow(asOf mark: UInt64, by grantees: Set<Grantee>?, to covers: (@Sendable (ChannelPlace) -> Bool)?) {
        state.withLock { $0 = State(covers: covers, grantees: grantees, mark: mark) }
    }

    /// The users and roles whose access it is; `nil` for anybody's.
    var grantees: Set<Grantee>? { state.withLock { $0.grantees } }

    /// - Parameters:
    ///   - touchesScope: whether documents of the follower's scope changed.
    ///   - touches: with which commits whose access changed.
    func isConcerned(by commit: Commit, touchesScope: Bool, _ touches: AccessChangeLog) -> Bool {
        let (covers, grantees, mark) = state.withLock { ($0.covers, $0.grantees, $0.mark) }
        if commit.access.concerns(grantees) { return true }
        guard touchesScope else { return false }
        guard let channels = commit.channels, let covers, mark >= touches.last(of: grantees) else { return true }
        return channels.contains(where: covers)
    }
}

/// With which commits whose access changed last, by their numbers.
struct AccessChangeLog {
    /// More are forgotten, and count as everybody.
    private static let remembered = 10_000

    private var last: UInt64 = 0
    private var everyone: UInt64 = 0
    private var grantees: [Grantee: UInt64] = [:]

    mutating func record(_ change: AccessChange, at number: UInt64) {
        guard !change.isEmpty else { return }
        last = number
        if case .of(let changed) = change {
            for grantee in changed { grantees[grantee] = number }
        }
        if change == .everyone || grantees.count > Self.remembered {
            everyone = number
            grantees = [:]
        }
    }

    /// The last commit that changed the access of one of these; by `nil` of anybody.
    func last(of asked: Set<Grantee>?) -> UInt64 {
        guard let asked else { return last }
        return asked.isEmpty ? 0 : asked.reduce(everyone) { max($0, grantees[$1] ?? 0) }
    }

    /// Whose access changed after a commit.
    func change(since seen: UInt64) -> AccessChange {
        guard last > seen else { return .none }
        return everyone > seen ? .everyone : .of(Set(grantees.filter { $0.value > seen }.keys))
    }
}
