/// How far a replication has come by its last checkpoint: sequences of this side and of the other; `nil` where there is none.
public struct ReplicationPosition: Hashable, Sendable {
    public var pushed: String?
    public var pulled: String?

    public init(pushed: String? = nil, pulled: String? = nil) {
        self.pushed = pushed
        self.pulled = pulled
    }
}
