/// Whose read it is, and what for: how the store's readers are shared.
public struct ReadShare: Hashable, Sendable {
    /// The login whose reads take turns with those of others; `nil` for an administrator, and for work of the bridge's own.
    public var client: Grantee?

    /// Whether it is for a feed that was woken. Requests, for which somebody waits, go first.
    public var isFeed: Bool

    public init(client: Grantee? = nil, isFeed: Bool = false) {
        self.client = client
        self.isFeed = isFeed
    }
}
