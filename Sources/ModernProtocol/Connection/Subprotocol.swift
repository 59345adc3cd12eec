/// A version of the replication protocol, by the name of its WebSocket subprotocol.
public enum Subprotocol: String, Sendable, CaseIterable {
    /// Couchbase Lite 2.x.
    case v2 = "BLIP_3+CBMobile_2"
    /// Couchbase Lite 3.x: collections, and flags in the rows of the changes feed.
    case v3 = "BLIP_3+CBMobile_3"
    /// Couchbase Lite 4.x: revisions have version vectors.
    case v4 = "BLIP_3+CBMobile_4"

    /// The first major version of Couchbase Lite that offers the subprotocol.
    public var generation: Int {
        switch self {
        case .v2: 2
        case .v3: 3
        case .v4: 4
        }
    }

    /// Whether revisions are named by versions instead of tree IDs.
    public var hasVersions: Bool {
        self == .v4
    }

    /// Whether a row of the changes feed ends in a number of flags. Otherwise a tombstone's row ends in `true`.
    public var hasRowFlags: Bool {
        self != .v2
    }

    /// Whether `getAttachment` has to name the document. In version 2 the digest alone suffices.
    var namesDocumentOfAttachment: Bool {
        self != .v2
    }
}

/// The kind of a request: its property `Profile`.
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
    /// A keep-alive of Couchbase Lite for JavaScript, as browsers send no WebSocket pings.
    case ping = "PING"
}
