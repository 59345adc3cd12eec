public import Storage

/// What someone may see in one collection, since when, and what they could see before.
public struct ChannelAccess: Hashable, Sendable {
    /// The channel that stands for every document.
    public static let everything = "*"

    /// The channel of documents that everyone may see, the guest included.
    public static let everyone = "!"

    /// Which channels can be seen, each with the sequence of the change that granted it: a feed that is past that sequence when it
    /// learns of the channel goes back for the channel's older documents.
    public var channels: [String: Sequence]

    /// What could be seen before and was taken away. A channel that can be seen again stands here, too, for documents that left it in between.
    public var lost: [LostChannel]

    public init(channels: [String: Sequence] = [:], lost: [LostChannel] = []) {
        self.channels = channels
        self.lost = lost
    }

    /// Nothing but public documents.
    public static let publicOnly = ChannelAccess(channels: [everyone: .zero])

    /// Every document, from the beginning.
    public static let full = ChannelAccess(channels: [everything: .zero])

    /// Whether every document can be seen, so that nobody need ask for its channels.
    public var seesEverything: Bool { channels[Self.everything] != nil }

    /// Whether a document in these channels can be seen.
    public func includes(anyOf channels: some Swift.Sequence<String>) -> Bool {
        seesEverything || channels.contains { $0 == Self.everyone || self.channels[$0] != nil }
    }
}
