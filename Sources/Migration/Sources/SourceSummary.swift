public import Gateway

/// What can be said of a source before it is read.
public struct SourceSummary: Sendable, Equatable {
    /// What it is: `Couchbase Lite 1.x database (SQLite)`, `Sync Gateway 2.8.4`.
    public var kind: String

    /// What tells this source from another at the same place, so that a run is not continued with the wrong one: a database's UUID.
    public var identity: String?

    /// How many documents it has, tombstones included; `nil` if only reading would tell.
    public var documents: Int?

    /// The named collections that it has, besides the default one.
    public var collections: [CollectionName] = []

    /// The channels to which the login is limited; `nil` where it sees every document, or there is no login.
    public var seenChannels: [String]?

    public init(
        kind: String, identity: String? = nil, documents: Int? = nil, collections: [CollectionName] = [], seenChannels: [String]? = nil
    ) {
        self.kind = kind
        self.identity = identity
        self.documents = documents
        self.collections = collections
        self.seenChannels = seenChannels
    }
}
