/// The configuration of one database.
package struct DatabaseConfiguration: Hashable, Sendable {
    package var name: String
    package var guest = GuestConfiguration()

    /// The collections besides `_default._default`. The default collection may be listed too, with a sync function.
    package var collections: [CollectionConfiguration] = []
    package var defaultCollection = DefaultCollectionPolicy.auto
    package var routes: [Route] = []
    package var conflicts = ConflictPolicy.keep

    /// With ``ConflictPolicy/resolve``: the JavaScript that resolves conflicts, `function (conflict) { return conflict.localDocument }`;
    /// `nil` for the default rule, by which the winning revision stays.
    package var conflictResolver: String?
    package var departures = DeparturePolicy.silent

    /// Whether revisions may be sent to and received from 2.x+ clients as deltas. Saves bandwidth, and costs time at both ends.
    package var deltaSync = false
    package var limits = DatabaseLimits()

    /// JavaScript filter functions of feeds by name: `function (doc, req) { return doc.owner === req.query.owner }`. They take precedence over
    /// filters of design documents.
    package var filters: [String: String] = [:]

    package init(name: String) {
        self.name = name
    }
}

/// The access of clients that do not log in.
package struct GuestConfiguration: Hashable, Sendable {
    package var isEnabled: Bool
    package var channels: [String]

    package init(isEnabled: Bool = false, channels: [String] = []) {
        self.isEnabled = isEnabled
        self.channels = channels
    }
}

/// The configuration of one collection.
package struct CollectionConfiguration: Hashable, Sendable {
    package var name: CollectionName

    /// The sync function's JavaScript; empty for the default function, which assigns channels from the `channels` property.
    ///
    /// `nil`: the function in the store applies, or else the default collection's.
    package var syncFunction: String?

    /// Whether the collection's documents are left out of the unified keyspace; `nil` leaves the store's setting.
    package var isHidden: Bool?

    package init(name: CollectionName, syncFunction: String? = nil, isHidden: Bool? = nil) {
        self.name = name
        self.syncFunction = syncFunction
        self.isHidden = isHidden
    }
}

/// The keyspace that a client receives when it requests `_default._default` by name.
package enum DefaultCollectionPolicy: String, Sendable, CaseIterable {
    /// Always the unified keyspace.
    case unified
    /// Always the documents of the default collection.
    case remainder
    /// The unified keyspace if the client requests no other collection, the remainder otherwise.
    case auto
}

/// How a replicated revision that does not descend from the winner is handled.
package enum ConflictPolicy: String, Sendable, CaseIterable {
    /// It becomes a branch, as 1.x expects.
    case keep
    /// It becomes a branch, and the losing branches are closed by tombstones at once.
    case resolve
    /// It is refused with 409, as Sync Gateway does with `allow_conflicts: false`.
    case refuse
}

/// What a collection's feed sends for documents that were moved out of it.
package enum DeparturePolicy: String, Sendable, CaseIterable {
    /// Nothing: clients would push back a tombstone, and a removal makes 3.x clients purge unpushed edits.
    case silent
    /// A removal notice, for teams that know that their clients have no unpushed edits.
    case notify
}

/// Limits on what one database accepts and stores.
package struct DatabaseLimits: Hashable, Sendable {
    /// The largest body of one revision, in bytes. Sync Gateway's limit is 20 MiB.
    package var documentSize = 20 << 20

    /// The largest attachment, in bytes.
    package var attachmentSize: Int64 = 1 << 30

    /// The maximum depth of a revision tree from each leaf before it is pruned. Sync Gateway keeps 100 with conflicts.
    package var revisionDepth = 100

    /// The maximum depth where clients may hold old revisions.
    package var protectedDepth = 1_000

    /// For how many days after its last connection a client is expected to return.
    package var protectionDays = 400

    /// How many of the latest opaque sequences of the legacy upstream are stored.
    package var upstreamSequences = 1_000_000

    /// The number of superseded bodies that are kept for clients that are fetching them.
    package var recentBodies = 3

    package init() {}
}

/// How a configuration applies where it differs from the store of the opened database.
package enum ConfigurationUse: Sendable {
    /// The configuration applies: its collections, functions and visibility are written to the store, and its routes and rules are recorded there
    /// for commands. The serving bridge uses this.
    case applied

    /// The configuration's collections and functions are added to the store. Visibility stays unchanged. Commands that write use this.
    case added

    /// The configuration is tried out in memory; nothing of it is written.
    case tried
}
