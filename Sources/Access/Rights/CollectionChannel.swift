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

extension ChannelAccess {
    /// The channels that can be seen, as they are called.
    public var names: Set<String> { Set(channels.keys.lazy.map(CollectionChannel.shown)) }
}
