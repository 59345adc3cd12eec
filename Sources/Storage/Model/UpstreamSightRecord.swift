/// What was learned of a device that comes from the legacy upstream, for its user and its place there.
public struct UpstreamSightRecord: Hashable, Sendable {
    /// JSON: the channels of which it has every document up to the place.
    public let channels: String

    /// At which place here it goes on at the latest; `nil` where there is none.
    public let position: Sequence?

    /// JSON: the places of our feed with rows that upstream had not sent it; `nil` for none.
    public let silent: String?

    /// Our counter when it was learned; `nil` where that is not known.
    public let learned: Sequence?

    public init(channels: String, position: Sequence? = nil, silent: String? = nil, learned: Sequence? = nil) {
        self.channels = channels
        self.position = position
        self.silent = silent
        self.learned = learned
    }
}
