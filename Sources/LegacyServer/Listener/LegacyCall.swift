import Access
import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import Logging
import NIOCore

/// One request on its way through a handler.
struct LegacyCall: Sendable {
    let request: Request
    let query: Query
    let path: LegacyPath
    let keyspace: Keyspace
    let caller: LegacyCaller
    let limits: LegacyLimits

    /// For whom feeds are counted; `nil` if they are not.
    let identity: ClientIdentity?
    let openFeeds: OpenFeeds

    /// Who is noted to use the database; `nil` for administrators.
    let visitor: Visitor?
    let shutdown: ShutdownSignal

    /// What the request's body takes of the process's memory.
    let memory: MemoryShare
    let logger: Logger

    /// The checkpoints of the server that clients come from; `nil` if there is none.
    var upstream: UpstreamCheckpoints?

    /// Counts a feed that stays open; `nil` if nobody counts this client's.
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

    /// A missing type passes, and an empty one; clients that send another one, such as curl's form type, get Sync Gateway's 415.
    func requireJSON() throws {
        guard let header = request.headers[.contentType], !header.isEmpty, contentType?.isJSON != true else { return }
        throw LegacyError(.unsupportedType, "Invalid content type \(header)")
    }

    /// Smaller bodies are not counted.
    private static let counted = 64 << 10

    /// The whole body, up to a limit.
    ///
    /// - Throws: ``LegacyError``: `bodyTooLarge`, or `unavailable` where other requests have all the memory that there is for them.
    func body(limit: Int) async throws -> [UInt8] {
        let announced = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard announced <= limit else { throw LegacyError.bodyTooLarge() }
        var bytes: [UInt8] = []
        // What a header promises is not believed beyond a little.
        bytes.reserveCapacity(min(announced, Self.counted))
        for try await chunk in request.body {
            try hold(chunk.readableBytes, after: bytes.count, limit: limit)
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        return bytes
    }

    /// Accounts for the next bytes of a body that are to be held behind others. Both counts are of bytes that are in memory, so their sums are small.
    ///
    /// - Throws: ``LegacyError``: `bodyTooLarge`, or `unavailable` where other requests have all the memory that there is for them.
    func hold(_ count: Int, after held: Int, limit: Int) throws {
        guard held + count <= limit else { throw LegacyError.bodyTooLarge() }
        // An array that grows holds up to twice what it has.
        let size = 2 * held + count
        guard memory.canHold(size) else { throw LegacyError.bodyTooLarge() }
        guard held < Self.counted || memory.resize(to: size) else {
            throw LegacyError(.unavailable, "The requests of all clients take the memory that there is for them; try again later")
        }
    }
}

extension LegacyCall {
    /// The revision that the request names outside its body: `?rev=`, or `If-Match` with its quotes.
    var revisionText: String? {
        if let revision = query["rev"], !revision.isEmpty { return revision }
        guard let header = request.headers[.ifMatch], header != "*" else { return nil }
        let tag = header.utf8.starts(with: "W/".utf8) ? header.dropFirst(2) : header[...]
        return String(tag.drop { $0 == "\"" }.prefix { $0 != "\"" })
    }

    /// The same as a revision of a document.
    ///
    /// - Throws: ``LegacyError`` if it cannot be one.
    var revision: RevisionID? {
        get throws {
            try revisionText.map(Self.revision)
        }
    }

    static func revision(_ text: String) throws -> RevisionID {
        guard let revision = RevisionID(text) else { throw LegacyError(.badRequest, "Invalid revision ID") }
        return revision
    }

    /// The revision that is to be read; `nil` for the winner.
    ///
    /// - Throws: ``LegacyError``, 404, for what can be nobody's.
    var readRevision: RevisionID? {
        get throws {
            guard let text = query["rev"], !text.isEmpty else { return nil }
            guard let revision = RevisionID(text) else { throw LegacyError(.notFound, "missing") }
            return revision
        }
    }

    /// Whether an ID stands in the path as it is, where other clients would have percent-encoded it. Couchbase Lite for .NET encodes none, so that
    /// decoding makes another ID of `50%25`.
    func isUnescaped(_ id: String) -> Bool {
        guard let path = request.head.path?.utf8.prefix(while: { $0 != UInt8(ascii: "?") }) else { return false }
        guard path.suffix(id.utf8.count + 1).elementsEqual("/\(id)".utf8) else { return false }
        guard let target = try? RequestTarget("/\(id)") else { return false }
        return target.joinedSegments(from: 0, keepingTrailingSlash: true).utf8.elementsEqual(documentID.utf8)
    }

    /// A query parameter that is a JSON array of revision IDs, such as `atts_since=["2-b"]`; as texts, since some may be nobody's.
    func revisions(_ parameter: String) throws -> [String] {
        guard let json = query.json(parameter) else { return [] }
        return try RevisionList.read(json, parameter: parameter, limit: limits.revisions)
    }
}

/// Who asks, as far as the 1.x listener has to know.
package struct LegacyCaller: Hashable, Sendable {
    /// Whether he came in by the admin port.
    package var isAdministrator: Bool

    package init(isAdministrator: Bool) {
        self.isAdministrator = isAdministrator
    }
}

extension Query {
    /// Whether something is asked for in addition. As with Sync Gateway, a value that nobody understands does not ask for it.
    ///
    /// What would make an answer another one, or larger, if it were misread is read by ``bool(_:)`` instead, which refuses it.
    func flag(_ name: String) -> Bool {
        (try? bool(name)) ?? false
    }
}
