import Access
import Coordination
import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import ModernServer
import NIOCore
import Storage

@testable import LegacyProtocol
@testable import LegacyServer

/// The 1.x side of a server.
struct Responder: Sendable {
    let database: Database
    let listener: LegacyListener

    /// The originator of requests.
    let principal: Principal

    /// Whether it has small sequences, as nearly all old servers do.
    var countsLow = false

    /// The clients' old server: their checkpoints are fetched there (docs/protocol/model.md#inherited-checkpoints).
    var inherits: Database?

    /// - Parameter target: The path with its query, beginning with the database.
    func respond(_ method: HTTPRequest.Method, _ target: String, headers: HTTPFields, body: [UInt8]) async throws -> Answer {
        // Its feed, and its description.
        let namesSequences = countsLow && (target.contains("/_changes") || target.split(separator: "/").count == 1)
        let target = namesSequences ? String(decoding: SmallSequences.entering(Array(target.utf8)), as: UTF8.self) : target
        let body = namesSequences ? SmallSequences.entering(body) : body
        let parsed = try RequestTarget(target)
        if method == .get, let inherits, parsed.segments.count == 3, parsed.segments[1].value == "_local" {
            let (id, keyspace) = (parsed.segments[2].value, database.unified)
            let current = try await keyspace.localDocument(.local, id: id)
            _ = try await Predecessor(database: inherits).resolved(current, .local, id: id, in: keyspace)
        }
        let head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: target, headerFields: headers)
        let response = await listener.respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body))), at: LegacyMatch(parsed),
            in: database.unified.seen(by: principal),
            caller: LegacyCaller(isAdministrator: false))
        let collected = CollectedBody()
        try await response.body.write(collected)
        return Answer(
            status: response.status.code, headers: response.headers,
            body: namesSequences ? SmallSequences.leaving(collected.bytes) : collected.bytes)
    }

    /// Serves a feed over a WebSocket until its client is caught up.
    ///
    /// - Returns: its rows.
    func follow(_ options: String) async throws -> [JSONValue] {
        let socket = FeedSocket(countsLow ? SmallSequences.entering(Array(options.utf8)) : Array(options.utf8))
        try await WebSocketChanges(
            keyspace: database.unified.seen(by: principal), query: Query([]), limits: LegacyLimits(), shutdown: StopSignal()
        ).run(socket)
        guard countsLow else { return try socket.rows }
        var bytes: [UInt8] = []
        JSONValue.array(try socket.rows).append(to: &bytes)
        return try JSONValue(SmallSequences.leaving(bytes)).array ?? []
    }
}

/// The clients' old server, which may have their checkpoints.
struct Predecessor: CheckpointOrigin {
    let database: Database

    /// A client's effective document, as in `InheritedDocument`.
    func resolved(
        _ current: LocalDocument?, _ kind: LocalDocumentKind, id: String, in keyspace: Keyspace
    ) async throws -> LocalDocument? {
        var found = try await database.unified.localDocument(kind, id: id)
        if let revision = found?.revision { found?.upstreamRevision = "0-\(revision)" }
        guard current != nil || found != nil else { return nil }
        return try await keyspace.inherit(found, kind, id: id, replacing: current)
    }

    /// A 2.x client's effective checkpoint, as in `InheritedCheckpoints`.
    func checkpoint(_ id: String, in keyspace: Keyspace, replacing stored: LocalDocument?) async throws -> LocalDocument? {
        guard keyspace.scope == .unified, try await !keyspace.ownSequences().isDoubtful else { return stored }
        return try await resolved(stored, .checkpoint, id: id, in: keyspace)
    }
}
