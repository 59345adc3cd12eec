package import Storage

/// The current and past access of a user or role to one collection.
package struct ChannelAccess: Hashable, Sendable {
    /// The channel `*`, which gives access to all documents.
    package static let everything = "*"

    /// The channel `!` of public documents, which all users and the guest may see.
    package static let everyone = "!"

    /// The accessible channels, each with the sequence of the change that granted it. A feed past that sequence goes back for the channel's older
    /// documents when it learns of the grant.
    package var channels: [String: SequenceNumber]

    /// Revoked access. Includes channels that were granted again, for documents that left them in between.
    package var lost: [LostChannel]

    package init(channels: [String: SequenceNumber] = [:], lost: [LostChannel] = []) {
        self.channels = channels
        self.lost = lost
    }

    /// Access to public documents only.
    package static let publicOnly = ChannelAccess(channels: [everyone: .zero])

    /// Access to all documents, from the beginning.
    package static let full = ChannelAccess(channels: [everything: .zero])

    /// Whether all documents are accessible, so that their channels need not be checked.
    package var seesEverything: Bool { channels[Self.everything] != nil }

    /// Whether a document in these channels is accessible.
    package func includes(anyOf channels: some Sequence<String>) -> Bool {
        seesEverything || channels.contains { $0 == Self.everyone || self.channels[$0] != nil }
    }

    /// The external names of the accessible channels.
    package var names: Set<String> { Set(channels.keys.lazy.map(CollectionChannel.shown)) }
}

/// A channel to which a user or role has lost access.
///
/// Clients that received documents through it get them revoked or removed (2.x+ clients since 3.0 as revocations, 1.x clients as removals), even if
/// they reconnect much later. So losses are stored.
package struct LostChannel: Hashable, Sendable {
    package let channel: String

    /// The sequence from which the channel was accessible.
    package let granted: SequenceNumber

    /// The sequence at which access was revoked.
    package let lost: SequenceNumber

    package init(channel: String, granted: SequenceNumber, lost: SequenceNumber) {
        self.channel = channel
        self.granted = granted
        self.lost = lost
    }
}

/// The channel to which the default function assigns every document of a named collection. Sync Gateway gives it the collection's name.
///
/// Only grants for that collection itself give access to it. A channel of the same name in the default collection is a different channel, which
/// documents list in their `channels`: its members must not see more when a document moves into a collection of that name. So the store has its own
/// name for the collection's channel.
package enum CollectionChannel {
    /// A prefix that no typed text has.
    private static let mark = "\u{1}"

    /// The store's name of the channel of a collection.
    package static func name(of collection: String) -> String { mark + collection }

    package static func isOne(_ channel: String) -> Bool { channel.utf8.first == 1 }

    /// Sync Gateway's name of a channel.
    package static func shown(_ channel: String) -> String { isOne(channel) ? String(channel.dropFirst()) : channel }
}
