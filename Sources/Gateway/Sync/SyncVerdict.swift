import Documents

/// What a collection's sync function says of a revision that may be written.
struct SyncVerdict: Sendable {
    var channels: Set<String> = []

    /// The channels that the document grants, by user name, or by role name after `role:`.
    var access: [String: Set<String>] = [:]

    /// The roles that the document grants, by user name.
    var roles: [String: Set<String>] = [:]

    var grantsAnything: Bool { !access.isEmpty || !roles.isEmpty }

    /// Says where Sync Gateway's default functions put a document: in the channels of its `channels` property, and, in a named
    /// collection, in the channel of the collection's name.
    static func byDefault(_ body: [UInt8], in collection: CollectionName) -> SyncVerdict {
        var channels = Channels.ofProperty(in: body).filter { !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: ",")) }
        if collection != .default { channels.insert(collection.name) }
        return SyncVerdict(channels: channels)
    }
}
