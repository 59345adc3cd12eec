import Documents

/// The single values of a store that a copy takes along. Each engine keeps them in its own way.
package struct StoreValues: Hashable, Sendable {
    /// The database's UUID.
    package var uuid: [UInt8]

    /// The sequence before the first change.
    package var origin: Int64

    /// The last sequence.
    package var counter: Int64

    /// The number of changes of collections.
    package var collections: Int64

    /// The number of changes of access, and its value at the last change that concerned every user.
    package var access: Int64
    package var accessOfEveryone: Int64

    /// The last sequence at which a document entered or left a channel without a change of the document.
    package var channelsApart: Int64

    /// Whether a client may have read a feed.
    package var hasReaders: Bool

    package init(
        uuid: [UInt8], origin: Int64, counter: Int64, collections: Int64, access: Int64, accessOfEveryone: Int64, channelsApart: Int64,
        hasReaders: Bool
    ) {
        self.uuid = uuid
        self.origin = origin
        self.counter = counter
        self.collections = collections
        self.access = access
        self.accessOfEveryone = accessOfEveryone
        self.channelsApart = channelsApart
        self.hasReaders = hasReaders
    }

    /// The names and texts of the values, for comparisons.
    package var described: [(name: String, text: String)] {
        [
            ("uuid", Hex.text(uuid)), ("origin", "\(origin)"), ("counter", "\(counter)"), ("collections", "\(collections)"),
            ("access", "\(access)"), ("access_everyone", "\(accessOfEveryone)"), ("channels_apart", "\(channelsApart)"),
            ("has_readers", "\(hasReaders)"),
        ]
    }
}
