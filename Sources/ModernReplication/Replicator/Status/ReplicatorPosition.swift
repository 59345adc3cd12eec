/// How far a replicator has come by its last checkpoint.
public struct ReplicatorPosition: Hashable, Sendable {
    /// All changes here up to this sequence are on the server; `nil` if nothing is kept.
    public var pushed: Int64?

    /// All changes of the server's up to this sequence of its own are here; `nil` if nothing is kept.
    public var pulled: String?

    public init(pushed: Int64? = nil, pulled: String? = nil) {
        self.pushed = pushed
        self.pulled = pulled
    }
}
