/// What a server can do: by its `Server` header as Couchbase Lite 1.x reads it (docs/protocol/legacy-1x.md#server-header), and by what it refused.
struct ServerFeatures: Hashable, Sendable {
    private static let syncGateway = "Couchbase Sync Gateway/"

    /// The version of a Sync Gateway, which is compared as a string; `nil` for other servers.
    private(set) var syncGatewayVersion: String? {
        didSet { answersInParts = true }
    }

    /// Whether it is a Couchbase Lite listener, which has neither `_bulk_get` nor a WebSocket.
    private(set) var isCouchbaseLite = false
    private(set) var isCouchDB = false

    /// Whether `instance_start_time` is the time at which the database was made, as in CouchDB from 2 on. Before, and elsewhere, it is that of the
    /// server's start.
    private(set) var hasLastingStartTime = false

    /// Whether `_bulk_get` is answered in parts, which are read as they come: Sync Gateway does, others when they have been seen to.
    var answersInParts = false

    // What it refused when asked.
    var refusesBulkGet = false
    var refusesWebSocket = false
    var refusesContinuous = false
    var refusesPostedChanges = false
    var refusesMultipart = false

    /// Whether it takes no branches: it has refused one.
    var refusesBranches = false

    init() {}

    /// What an answer's `Server` header says.
    init(_ server: String?) {
        note(server: server)
    }

    /// Whether it has said which server of this protocol it is.
    var isKnown: Bool { isSyncGateway || isCouchDB || isCouchbaseLite }

    /// Takes in the `Server` header of an answer. What was once seen stays: not every answer of a server has it.
    mutating func note(server: String?) {
        guard let server else { return }
        if server.hasPrefix(Self.syncGateway) {
            syncGatewayVersion = String(server.dropFirst(Self.syncGateway.count))
        } else if server.hasPrefix("CouchbaseLite") {
            isCouchbaseLite = true
        } else if server.hasPrefix("CouchDB") {
            isCouchDB = true
            let major = server.dropFirst("CouchDB/".utf8.count).prefix { $0 != "." }
            hasLastingStartTime = (Int(major) ?? 0) >= 2
        }
    }

    var isSyncGateway: Bool { syncGatewayVersion != nil }

    var hasBulkGet: Bool { !refusesBulkGet && !isCouchbaseLite }

    var hasWebSocket: Bool { !refusesWebSocket && isAtLeast("0.91") }

    /// CouchDB's own replicator reads this feed, so all that speak its protocol have it; Sync Gateway's is not meant for clients.
    var hasContinuous: Bool { isCouchDB && !refusesContinuous }

    var takesCompressedRequests: Bool { isAtLeast("0.92") }

    private func isAtLeast(_ version: String) -> Bool {
        syncGatewayVersion.map { $0 >= version } ?? false
    }
}
