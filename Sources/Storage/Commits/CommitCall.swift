/// A follower's wish to be called when there is a commit to read (``CommitSubscription/call(after:_:)``). It is taken back when this is let go.
public final class CommitCall: Sendable {
    private let hub: CommitHub
    private let poll: CommitPoll?
    private let scope: FeedScope?
    private let ticket: UInt64

    init(
        hub: CommitHub, poll: CommitPoll?, scope: FeedScope?, interest: FeedInterest, since seen: UInt64,
        _ wake: @escaping @Sendable (Bool) -> Void
    ) {
        self.hub = hub
        self.poll = poll
        self.scope = scope
        ticket = hub.ticket()
        poll?.begin()
        hub.call(wake, ticket: ticket, since: seen, scope: scope, interest: interest)
    }

    deinit {
        hub.takeBack(ticket, scope: scope)
        poll?.end()
    }
}
