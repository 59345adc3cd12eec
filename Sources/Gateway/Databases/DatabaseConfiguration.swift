/// What the configuration says of one database.
public struct DatabaseConfiguration: Hashable, Sendable {
    public var name: String
    public var guest = GuestConfiguration()

    /// The collections besides `_default._default`, which may stand among them to be given a sync function.
    public var collections: [CollectionConfiguration] = []
    public var defaultCollection = DefaultCollectionPolicy.auto
    public var routes: [Route] = []
    public var conflicts = ConflictPolicy.keep

    /// With ``ConflictPolicy/resolve``: the JavaScript that resolves conflicts, `function (conflict) { return conflict.localDocument }`;
    /// `nil` for the default rule, by which the winning revision stays.
    public var conflictResolver: String?
    public var departures = DeparturePolicy.silent

    /// Whether revisions may go to and come from 2.x+ clients as differences. Saves bytes on the line, and costs time at both ends.
    public var deltaSync = false
    public var limits = DatabaseLimits()

    /// Filter functions of feeds by their names, JavaScript: `function (doc, req) { return doc.owner === req.query.owner }`. They go before those of
    /// design documents.
    public var filters: [String: String] = [:]

    public init(name: String) {
        self.name = name
    }
}

/// What somebody may do who does not log in.
public struct GuestConfiguration: Hashable, Sendable {
    public var isEnabled: Bool
    public var channels: [String]

    public init(isEnabled: Bool = false, channels: [String] = []) {
        self.isEnabled = isEnabled
        self.channels = channels
    }
}

/// What the configuration says of one collection.
public struct CollectionConfiguration: Hashable, Sendable {
    public var name: CollectionName

    /// The sync function's JavaScript; empty for the default function, which takes channels from the `channels` property.
    ///
    /// `nil` says nothing: the function that the store has for the collection holds, or else that of the default collection.
    public var syncFunction: String?

    /// Whether its documents are left out of the unified keyspace; `nil` says nothing.
    public var isHidden: Bool?

    public init(name: CollectionName, syncFunction: String? = nil, isHidden: Bool? = nil) {
        self.name = name
        self.syncFunction = syncFunction
        self.isHidden = isHidden
    }
}

/// What a client gets that asks for `_default._default` by name.
public enum DefaultCollectionPolicy: String, Sendable, CaseIterable {
    /// Always the unified keyspace.
    case unified
    /// Always the documents that live in the default collection.
    case remainder
    /// The unified keyspace if it asks for nothing else, the remainder beside named collections.
    case auto
}

/// What happens to a replicated revision that does not descend from the winner.
public enum ConflictPolicy: String, Sendable, CaseIterable {
    /// It becomes a branch, as 1.x expects.
    case keep
    /// It becomes a branch, and the losing branches are closed by tombstones at once.
    case resolve
    /// It is refused with 409, as Sync Gateway does with `allow_conflicts: false`.
    case refuse
}

/// What a collection says of documents that were moved out of it.
public enum DeparturePolicy: String, Sendable, CaseIterable {
    /// Nothing: a tombstone would be pushed back, and a removal makes 3.x clients purge unpushed edits.
    case silent
    /// A removal notice, for teams that know their fleet is drained.
    case notify
}

/// Bounds on what one database takes in and keeps.
public struct DatabaseLimits: Hashable, Sendable {
    /// The largest body of one revision, in bytes. Sync Gateway's limit is 20 MiB.
    public var documentSize = 20 << 20

    /// The largest attachment, in bytes.
    public var attachmentSize: Int64 = 1 << 30

    /// How deep a revision tree may grow from each leaf before it is pruned. Sync Gateway keeps 100 with conflicts.
    public var revisionDepth = 100

    /// How deep it may grow where clients may hold old revisions.
    public var protectedDepth = 1_000

    /// For how many days after it was seen last a client is expected to come back.
    public var protectionDays = 400

    /// How many opaque sequences of the legacy upstream are remembered, the latest.
    public var upstreamSequences = 1_000_000

    /// How many bodies of superseded revisions are kept for clients that are just fetching them.
    public var recentBodies = 3

    public init() {}
}

/// What becomes of a configuration where it says other things than the store over which a database is opened.
public enum ConfigurationUse: Sendable {
    /// It holds: its collections, functions and visibility become the store's, and its routes and rules are kept there for commands. What a
    /// bridge serves is opened so.
    case applied

    /// What it says of collections and functions is added to the store. Visibility stays as it is. Commands that write open a store so.
    case added

    /// It is tried out in memory, and nothing of it is written.
    case tried
}
