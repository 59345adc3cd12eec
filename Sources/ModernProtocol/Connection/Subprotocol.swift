/// A version of the replication protocol, as a WebSocket subprotocol names it.
package enum Subprotocol: String, Sendable, CaseIterable {
    /// Couchbase Lite 2.x.
    case v2 = "BLIP_3+CBMobile_2"
    /// Couchbase Lite 3.x: collections, and flags in the rows of the changes feed.
    case v3 = "BLIP_3+CBMobile_3"
    /// Couchbase Lite 4.x: revisions have version vectors.
    case v4 = "BLIP_3+CBMobile_4"

    /// The first version of Couchbase Lite that offers it.
    package var generation: Int {
        switch self {
        case .v2: 2
        case .v3: 3
        case .v4: 4
        }
    }

    /// Whether revisions are shown as versions, never by their IDs in a tree.
    package var hasVersions: Bool {
        self == .v4
    }

    /// Whether a tombstone's row in the changes feed ends in a number of flags. Otherwise it ends in `true`.
    package var hasRowFlags: Bool {
        self != .v2
    }

    /// Whether `getAttachment` has to name the document. In version 2 a digest alone will do.
    var namesDocumentOfAttachment: Bool {
        self != .v2
    }
}

/// What a client may ask for: the `Profile` of its requests.
package enum Profile: String, CaseIterable, Sendable {
    case getCollections
    case getCheckpoint
    case setCheckpoint
    case subChanges
    case unsubChanges
    case changes
    case proposeChanges
    case rev
    case norev
    case getAttachment
    case proveAttachment
    /// A sign of life, which Couchbase Lite for JavaScript asks for: a browser sends no WebSocket pings.
    case ping = "PING"
}
