/// The features of a server, derived from its `Server` header as in Couchbase Lite 1.x (docs/protocol/legacy-1x.md#server-header), and from its
/// refusals.
struct ServerFeatures: Hashable, Sendable {
    private static let syncGateway = "Couchbase Sync Gateway/"

    /// The version of a Sync Gateway, compared as a string; `nil` for other servers.
    private(set) var syncGatewayVersion: String? {
        didSet { answersInParts = true }
    }

    /// Whether the server is a Couchbase Lite listener, which has neither `_bulk_get` nor a WebSocket.
    private(set) var isCouchbaseLite = false
    private(set) var isCouchDB = false

    /// Whether `instance_start_time` is the creation time of the database, as in CouchDB 2 and later. In earlier versions and other servers it is
    /// the time of the server's start.
    private(set) var hasLastingStartTime = false

    /// Whether `_bulk_get` responds in multipart, which is read as it arrives. True for Sync Gateway, and for others after the first such
    /// response.
    var answersInParts = false

    // Requests that the server has refused.
    var refusesBulkGet = false
    var refusesWebSocket = false
    var refusesContinuous = false
    var refusesPostedChanges = false
    var refusesMultipart = false

    /// Whether the server has refused a branch, and so has single branches.
    var refusesBranches = false

    init() {}

    /// The features according to a `Server` header.
    init(_ server: String?) {
        read(server: server)
    }

    /// Whether a `Server` header has identified a server of this protocol.
    var isKnown: Bool { isSyncGateway || isCouchDB || isCouchbaseLite }

    /// Reads a response's `Server` header. A missing header changes nothing: not every response of a server has it.
    mutating func read(server: String?) {
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

    /// CouchDB's own replicator reads this feed, so all servers with CouchDB's protocol have it. Sync Gateway's continuous feed is not meant for
    /// clients.
    var hasContinuous: Bool { isCouchDB && !refusesContinuous }

    var takesCompressedRequests: Bool { isAtLeast("0.92") }

    private func isAtLeast(_ version: String) -> Bool {
        syncGatewayVersion.map { $0 >= version } ?? false
    }
}
