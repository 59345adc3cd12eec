public import Storage

/// What someone may see in one collection, since when, and what they could see before.
public struct ChannelAccess: Hashable, Sendable {
    /// The channel that stands for every document.
    public static let everything = "*"

    /// The channel of documents that everyone may see, the guest included.
    public static let everyone = "!"

    /// Which channels can be seen, each with the sequence of the change that granted it: a feed that is past that sequence when it
    /// learns of the channel goes back for the channel's older documents.
    public var channels: [String: SequenceNumber]

    /// What could be seen before and was taken away. A channel that can be seen again stands here, too, for documents that left it in between.
    public var lost: [LostChannel]

    public init(channels: [String: SequenceNumber] = [:], lost: [LostChannel] = []) {
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
    public func includes(anyOf channels: some Sequence<String>) -> Bool {
        seesEverything || channels.contains { $0 == Self.everyone || self.channels[$0] != nil }
    }

    /// The channels that can be seen, as they are called.
    public var names: Set<String> { Set(channels.keys.lazy.map(CollectionChannel.shown)) }
}

/// A channel that someone could see until it was taken away.
///
/// Who had documents through it has to be told (2.x+ clients since 3.0 as revocations, 1.x clients as removals), also when they come
/// back long afterwards, so what was lost is remembered.
public struct LostChannel: Hashable, Sendable {
    public let channel: String

    /// From which sequence on it could be seen.
    public let granted: SequenceNumber

    /// With which sequence that ended.
    public let lost: SequenceNumber

    public init(channel: String, granted: SequenceNumber, lost: SequenceNumber) {
        self.channel = channel
        self.granted = granted
        self.lost = lost
    }
}

/// The channel in which the default function puts every document of a named collection: Sync Gateway calls it by the collection's name.
///
/// Only what is given for that collection itself opens it. A channel of the same name that was given for the default collection is another one,
/// which documents name in their `channels`: who holds it must not see more because a document was moved into a collection of that name.
/// So the store has it under a name of its own.
public enum CollectionChannel {
    /// What no text that is typed begins with.
    private static let mark = "\u{1}"

    /// The store's name of the channel of a collection.
    public static func name(of collection: String) -> String { mark + collection }

    public static func isOne(_ channel: String) -> Bool { channel.utf8.first == 1 }

    /// A channel as Sync Gateway calls it.
    public static func shown(_ channel: String) -> String { isOne(channel) ? String(channel.dropFirst()) : channel }
}
