import Authentication
import Coordination
import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import Logging
import NIOCore

/// A request and its context, as passed to a handler.
struct LegacyCall: Sendable {
    let request: Request
    let query: Query
    let path: LegacyPath
    let keyspace: Keyspace
    let caller: LegacyCaller
    let limits: LegacyLimits

    /// The client for which feeds are counted; `nil` if they are not counted.
    let identity: ClientIdentity?
    let openFeeds: OpenFeeds

    /// The visitor to record as a user of the database; `nil` for administrators.
    let visitor: Visitor?
    let shutdown: StopSignal

    /// The share of the process's memory for the request's body.
    let memory: MemoryShare

    /// Counts the memory of large responses.
    let account: MemoryAccount
    let largeAnswers: LargeAnswers
    let logger: Logger

    /// The checkpoints of the server from which clients are repointed; `nil` if there is none.
    var upstream: UpstreamCheckpoints?

    /// Counts a feed that stays open; `nil` if this client's feeds are not counted.
    func openFeed() throws -> OpenFeed? {
        guard let identity else { return nil }
        return try openFeeds.open(for: identity, visit: visitor.map { keyspace.database.visits.open($0) })
    }

    /// The document that the path names, or the local document's ID without its prefix.
    var documentID: String {
        switch path {
        case .document(let id), .attachment(let id, _), .local(let id): id
        case .design(let name): DocumentID.designPrefix + name
        case .keyspace, .endpoint: ""
        }
    }

    var attachmentName: String {
        if case .attachment(_, let name) = path { name } else { "" }
    }

    var accept: AcceptHeader { AcceptHeader(request.headers[.accept]) }

    var contentType: MediaType? { request.headers[.contentType].flatMap { MediaType($0) } }
}

extension LegacyCall {
    /// The whole body of a request that has to be JSON.
    func jsonBody() async throws -> [UInt8] {
        try requireJSON()
        return try await body(limit: limits.bodySize)
    }

    /// Accepts a missing or empty content type. Another type than JSON, such as curl's form type, gets Sync Gateway's 415.
    func requireJSON() throws {
        guard let header = request.headers[.contentType], !header.isEmpty, contentType?.isJSON != true else { return }
        throw LegacyError(.unsupportedType, "Invalid content type \(header)")
    }

    /// Smaller bodies, in bytes, are not counted.
    private static let counted = 64 << 10

    /// The whole body, up to a limit.
    ///
    /// - Throws: ``LegacyError``: `bodyTooLarge`, or `unavailable` if other requests use all memory available for bodies.
    func body(limit: Int) async throws -> [UInt8] {
        let announced = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard announced <= limit else { throw LegacyError.bodyTooLarge() }
        var bytes: [UInt8] = []
        // The announced length is not trusted beyond a small size.
        bytes.reserveCapacity(min(announced, Self.counted))
        for try await chunk in request.body {
            try hold(chunk.readableBytes, after: bytes.count, limit: limit)
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        return bytes
    }

    /// Accounts for the next bytes of a body in addition to those already held. Both counts are of bytes in memory, so their sums cannot
    /// overflow.
    ///
    /// - Throws: ``LegacyError``: `bodyTooLarge`, or `unavailable` if other requests use all memory available for bodies.
    func hold(_ count: Int, after held: Int, limit: Int) throws {
        guard held + count <= limit else { throw LegacyError.bodyTooLarge() }
        // A growing array allocates up to twice its size.
        let size = 2 * held + count
        guard memory.canHold(size) else { throw LegacyError.bodyTooLarge() }
        guard held < Self.counted || memory.resize(to: size) else {
            throw LegacyError(.unavailable, "The memory for clients' requests is used up; try again later")
        }
    }
}

extension LegacyCall {
    /// The revision that the request names outside its body: `?rev=`, or `If-Match` without its quotes.
    var revisionText: String? {
        if let revision = query["rev"], !revision.isEmpty { return revision }
        guard let header = request.headers[.ifMatch], header != "*" else { return nil }
        let tag = header.utf8.starts(with: "W/".utf8) ? header.dropFirst(2) : header[...]
        return String(tag.drop { $0 == "\"" }.prefix { $0 != "\"" })
    }

    /// The same as a revision ID.
    ///
    /// - Throws: ``LegacyError`` if it is not a valid revision ID.
    var revision: RevisionID? {
        get throws {
            try revisionText.map(Self.revision)
        }
    }

    static func revision(_ text: String) throws -> RevisionID {
        guard let revision = RevisionID(text) else { throw LegacyError(.badRequest, "Invalid revision ID") }
        return revision
    }

    /// The revision to read; `nil` for the winner.
    ///
    /// - Throws: ``LegacyError``, 404, for an invalid revision ID.
    var readRevision: RevisionID? {
        get throws {
            guard let text = query["rev"], !text.isEmpty else { return nil }
            guard let revision = RevisionID(text) else { throw LegacyError(.notFound, "missing") }
            return revision
        }
    }

    /// Whether the path contains an ID without percent-encoding. Couchbase Lite for .NET encodes no ID, so that decoding changes an ID such as
    /// `50%25`.
    func isUnescaped(_ id: String) -> Bool {
        guard let path = request.head.path?.utf8.prefix(while: { $0 != UInt8(ascii: "?") }) else { return false }
        guard path.suffix(id.utf8.count + 1).elementsEqual("/\(id)".utf8) else { return false }
        guard let target = try? RequestTarget("/\(id)") else { return false }
        return target.joinedSegments(from: 0, keepingTrailingSlash: true).utf8.elementsEqual(documentID.utf8)
    }

    /// A query parameter that is a JSON array of revision IDs, such as `atts_since=["2-b"]`, as texts, because some may be invalid.
    func revisions(_ parameter: String) throws -> [String] {
        guard let json = query.json(parameter) else { return [] }
        return try RevisionIDList.read(json, parameter: parameter, limit: limits.revisions)
    }
}

/// The properties of the client that the 1.x listener needs.
package struct LegacyCaller: Hashable, Sendable {
    /// Whether the request was received on the admin port.
    package var isAdministrator: Bool

    package init(isAdministrator: Bool) {
        self.isAdministrator = isAdministrator
    }
}

extension Query {
    /// An optional flag. As in Sync Gateway, an invalid value counts as false.
    ///
    /// Parameters whose misinterpretation would change or enlarge the response are read by ``bool(_:)``, which rejects invalid values.
    func flag(_ name: String) -> Bool {
        (try? bool(name)) ?? false
    }
}
