package import AsyncHTTPClient
package import Documents
package import HTTP
import NIOCore
import NIOHTTP1

/// A 1.x client that pushes and pulls over HTTP with the requests of real 1.x clients.
///
/// It is one-shot, and implements only what the demonstration and the benchmarks need.
package actor LegacyPeer {
    /// The local documents, by document ID.
    package private(set) var documents: [ExactString: PeerDocument] = [:]

    /// The number of fetched revisions, to check that none is fetched twice.
    package private(set) var fetched = 0

    /// Local documents that the server removed from the client.
    package private(set) var purged: Set<ExactString> = []

    /// The status of each local edit that the server refused, by document ID.
    package private(set) var refused: [ExactString: Int] = [:]

    let url: String

    /// The last sequence, in the server's form.
    package private(set) var since = "0"

    private let authorization: String?
    private let client: HTTPClient

    /// Whether the client fetches the revision of a `removed` row although it has that revision. Couchbase Lite does not.
    private let fetchesRemoved: Bool
    private var edits = LocalEdits()

    /// - Parameters:
    ///   - url: the remote database, such as `http://127.0.0.1:4984/shop`.
    ///   - credentials: sent with every request.
    ///   - fetchesRemoved: Whether the client fetches the revision of a `removed` row although it has that revision. Couchbase Lite does not.
    ///   - client: the HTTP client for the connections.
    package init(
        _ url: String, credentials: BasicCredentials? = nil, fetchesRemoved: Bool = false, client: HTTPClient = .shared
    ) {
        self.url = url
        self.client = client
        authorization = credentials?.authorization
        self.fetchesRemoved = fetchesRemoved
    }

    init(_ url: String, documents: [ExactString: PeerDocument], since: String) {
        self.url = url
        self.documents = documents
        self.since = since
        client = .shared
        authorization = nil
        fetchesRemoved = false
    }

    /// Edits a document locally; ``push()`` pushes the edit.
    package func edit(_ revision: PeerRevision) {
        store(revision)
        edits.append(revision)
    }

    /// Pushes the edits since the last push. Refused edits are recorded in ``refused`` and not pushed again.
    package func push() async throws {
        for (id, status) in try await send(edits.pending) { refused[id] = status }
        edits.markPushed()
    }

    /// Makes the next push and pull start from the beginning.
    package func resetCheckpoint() {
        since = "0"
        edits.resetCheckpoint()
    }

    /// Pushes revisions.
    ///
    /// - Throws: ``PeerError`` if the server refuses a revision.
    package func push(_ revisions: [PeerRevision]) async throws {
        if let (id, status) = try await send(revisions).first { throw PeerError("\(id.string) was refused with \(status)") }
        for revision in revisions { store(revision) }
    }

    /// Pushes revisions: `_revs_diff`, then `_bulk_docs`, or `PUT` with MIME parts for revisions with a large attachment.
    ///
    /// - Returns: the statuses of refused revisions, by document ID.
    private func send(_ revisions: [PeerRevision]) async throws -> [ExactString: Int] {
        var refused: [ExactString: Int] = [:]
        var rest = revisions[...]
        while !rest.isEmpty {
            let batch = rest.prefix(100)
            rest = rest.dropFirst(batch.count)
            let missing = try await missing(batch)
            let wanted = batch.filter { missing.contains(ExactString("\($0.id) \($0.history[0])")) }
            let small = wanted.filter { revision in revision.attachments.allSatisfy { $0.bytes.count < 1 << 18 } }
            if !small.isEmpty {
                for row in try await post("_bulk_docs", LegacyEncoding.bulkDocs(small)).array ?? [] where row["error"] != nil {
                    refused[ExactString(row["id"]?.string ?? "")] = row["status"]?.int ?? 0
                }
            }
            for revision in wanted where revision.attachments.contains(where: { $0.bytes.count >= 1 << 18 }) {
                let (body, contentType) = LegacyEncoding.multipart(revision)
                _ = try await send(.put, "\(LegacyEncoding.path(revision.id))?new_edits=false", body: body, contentType: contentType)
            }
        }
        return refused
    }

    /// Pulls changes: `_changes`, then `_bulk_get` for missing revisions, and the attachments.
    package func pull() async throws {
        let changes = try await get("_changes?style=all_docs&since=\(since)")
        guard let rows = changes["results"]?.array else { throw PeerError("_changes has no results") }
        var wanted: [(String, String)] = []
        for row in rows {
            guard let id = row["id"]?.string, let revision = row["changes"]?.array?.first?["rev"]?.string else {
                throw PeerError("A row of _changes lacks its ID or revision")
            }
            if documents[ExactString(id)]?.revision.text != revision || fetchesRemoved && row["removed"] != nil {
                wanted.append((id, revision))
            }
        }
        var rest = wanted[...]
        while !rest.isEmpty {
            let batch = rest.prefix(50)
            rest = rest.dropFirst(batch.count)
            let answer = try await post("_bulk_get?revs=true", LegacyEncoding.bulkGet(Array(batch)))
            for result in answer["results"]?.array ?? [] {
                guard let document = result["docs"]?.array?.first?["ok"] else {
                    throw PeerError("_bulk_get did not return \(result["id"]?.string ?? "a document")")
                }
                try await receive(document)
            }
        }
        since = changes["last_seq"].map { $0.string ?? $0.int.map(String.init) ?? "0" } ?? "0"
    }

    private func missing(_ revisions: ArraySlice<PeerRevision>) async throws -> Set<ExactString> {
        let answer = try await post("_revs_diff", LegacyEncoding.revsDiff(revisions))
        var missing: Set<ExactString> = []
        for member in answer.members ?? [] {
            for revision in member.value["missing"]?.array ?? [] {
                missing.insert(ExactString("\(member.key) \(revision.string ?? "")"))
            }
        }
        return missing
    }

    private func store(_ revision: PeerRevision) {
        let held = documents[ExactString(revision.id)]
        // The rule for winners: live before deleted, then the higher revision ID.
        if let held, (held.isDeleted ? 0 : 1, held.revision) >= (revision.isDeleted ? 0 : 1, revision.history[0]) { return }
        documents[ExactString(revision.id)] = PeerDocument(
            revision: revision.history[0], isDeleted: revision.isDeleted, body: (try? JSONValue(revision.body)) ?? .null,
            attachments: Dictionary(
                revision.attachments.map { (ExactString($0.name), AttachmentDigest.sha1(of: $0.bytes)) },
                uniquingKeysWith: { first, _ in first }))
    }

    private func receive(_ document: JSONValue) async throws {
        guard let id = document["_id"]?.string, let revision = document["_rev"]?.string.flatMap({ RevisionID($0) }) else {
            throw PeerError("A document has no ID or no revision")
        }
        guard document["_removed"]?.bool != true || document["_deleted"]?.bool == true else {
            edits.remove(id)
            if documents.removeValue(forKey: ExactString(id)) != nil { purged.insert(ExactString(id)) }
            return
        }
        var attachments: [ExactString: AttachmentDigest] = [:]
        for member in document["_attachments"]?.members ?? [] {
            let bytes = try await send(.get, "\(LegacyEncoding.path(id))/\(LegacyEncoding.path(member.key))?rev=\(revision)", body: nil)
            attachments[ExactString(member.key)] = AttachmentDigest.sha1(of: bytes)
        }
        let body = JSONValue.object((document.members ?? []).filter { !$0.key.hasPrefix("_") })
        fetched += 1
        documents[ExactString(id)] = PeerDocument(
            revision: revision, isDeleted: document["_deleted"]?.bool ?? false, body: body, attachments: attachments)
    }

    private func get(_ path: String) async throws -> JSONValue {
        try JSONValue(try await send(.get, path, body: nil))
    }

    private func post(_ path: String, _ body: [UInt8]) async throws -> JSONValue {
        try JSONValue(try await send(.post, path, body: body))
    }

    private func send(_ method: LegacyMethod, _ path: String, body: [UInt8]?, contentType: String = "application/json") async throws
        -> [UInt8]
    {
        var request = HTTPClientRequest(url: "\(url)/\(path)")
        request.method = method.httpMethod
        request.headers.add(name: "Accept", value: "application/json")
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
        if let body {
            request.headers.add(name: "Content-Type", value: contentType)
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let response = try await client.execute(request, timeout: .seconds(60))
        let bytes = try await response.body.collect(upTo: 64 << 20)
        guard (200..<300).contains(Int(response.status.code)) else {
            throw PeerError("\(method.rawValue) \(url)/\(path): \(response.status) \(String(buffer: bytes))")
        }
        return Array(buffer: bytes)
    }
}

extension LegacyPeer {
    /// A client with the same documents and checkpoint at another address.
    package func moved(to base: String) -> LegacyPeer {
        let name = url.split(separator: "/").last ?? ""
        return LegacyPeer("\(base)/\(name)", documents: documents, since: since)
    }
}

/// The methods that a 1.x client uses.
enum LegacyMethod: String {
    case get = "GET"
    case post = "POST"
    case put = "PUT"

    var httpMethod: HTTPMethod { HTTPMethod(rawValue: rawValue) }
}
