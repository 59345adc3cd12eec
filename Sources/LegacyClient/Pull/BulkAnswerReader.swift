import AsyncHTTPClient
import Documents
import Gateway
import HTTP
import LegacyProtocol
import NIOCore
import Storage

/// Reads the response of `_bulk_get`, multipart or JSON, as it arrives, and delivers each revision.
///
/// A part that cannot be used does not fail the response: the caller detects that its revision is missing, and requests that revision singly.
struct BulkAnswerReader {
    private let keyspace: Keyspace
    private let limits: LegacyLimits
    private let deliver: (PulledRevision) async throws -> Void
    private let intake: AttachmentImporter
    private var inner: RelatedDocumentReader?
    private var headers: PartHeaders?
    private var json: [UInt8] = []

    /// Whether the rest of the current part is ignored.
    private var isSkipping = false

    /// The errors that the server reports, by document and revision.
    private(set) var refusals: [(id: String, revision: String, error: ReplicationError)] = []

    init(keyspace: Keyspace, limits: LegacyLimits, deliver: @escaping (PulledRevision) async throws -> Void) {
        self.keyspace = keyspace
        self.limits = limits
        self.deliver = deliver
        intake = AttachmentImporter(keyspace: keyspace, limits: limits)
    }

    /// Reads the whole response.
    ///
    /// - Throws: ``ReplicationError`` if the connection broke, or the response has neither form.
    mutating func read(_ response: RemoteResponse) async throws {
        guard let type = response.contentType, type.isMultipart else {
            return try await readJSON(try await response.bytes(upTo: limits.bodySize))
        }
        do {
            var outer = MultipartParser(boundary: try MultipartBoundary(contentType: type))
            for try await buffer in response.body {
                for event in try outer.consume(Array(buffer.readableBytesView)) { try await handle(event) }
            }
            try outer.finish()
        } catch let error as ReplicationError {
            await inner?.abandon()
            throw error
        } catch let error as MultipartError {
            await inner?.abandon()
            throw ReplicationError(answer: error)
        } catch is CancellationError {
            await inner?.abandon()
            throw CancellationError()
        } catch {
            await inner?.abandon()
            throw ReplicationError(exchange: error, with: response.url)
        }
    }

    private mutating func handle(_ event: MultipartEvent) async throws {
        do {
            switch event {
            case .partBegan(let headers): try begin(headers)
            case .partBody(let bytes) where !isSkipping: try await append(bytes)
            case .partEnded where !isSkipping: try await end()
            case .partBody, .partEnded, .finished: break
            }
        } catch let error as GatewayError where error.code == .unavailable {
            throw ReplicationError(local: error)
        } catch  where error is StorageError || error is CancellationError {
            throw error is CancellationError ? error : ReplicationError(local: error)
        } catch {
            await inner?.abandon()
            inner = nil
            isSkipping = true
        }
    }

    private mutating func begin(_ headers: PartHeaders) throws {
        self.headers = headers
        isSkipping = false
        json = []
        inner = nil
        guard let type = headers.contentType, type.isMultipart else { return }
        inner = try RelatedDocumentReader(contentType: type, keyspace: keyspace, limits: limits, policy: .legacyUpstream)
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) async throws {
        if inner != nil {
            try await inner?.consume(bytes)
            return
        }
        guard json.count + bytes.count <= limits.documentPartSize else { throw LegacyError(.tooLarge, "Document too large!") }
        json += bytes
    }

    private mutating func end() async throws {
        if let (document, parts) = try inner?.finish() {
            inner = nil
            return try await deliver(try await PulledRevision(document, parts: parts, intake: intake))
        }
        let isCompressed = headers?.contentEncoding == "gzip"
        let text = isCompressed ? try Gunzip.decode(json, limit: limits.documentPartSize) : json
        json = []
        guard headers?.isError != true else { return refuse(try JSONValue(text)) }
        try await read(document: text[...])
    }

    private mutating func read(document text: ArraySlice<UInt8>) async throws {
        let sizes = DocumentLimits(maximumSize: keyspace.database.configuration.limits.documentSize, maximumDepth: limits.depth)
        let document = try ParsedDocument(text, policy: .legacyUpstream, limits: sizes)
        guard document.id != nil else { return refuse(try JSONValue(text)) }
        try await deliver(try await PulledRevision(document, intake: intake))
    }

    private mutating func refuse(_ row: JSONValue) {
        guard let id = row["id"]?.string, let revision = row["rev"]?.string else { return }
        refusals.append((id, revision, RowError.error(in: row) ?? ReplicationError(.notFound, "The server does not have it")))
    }

    /// The form of CouchDB and PouchDB Server: `{"results":[{"id","docs":[{"ok":{…}} or {"error":{…}}]}]}`.
    private mutating func readJSON(_ bytes: [UInt8]) async throws {
        var documents: [ArraySlice<UInt8>] = []
        var errors: [JSONValue] = []
        do {
            try JSONReader.read(bytes) { reader in
                try reader.object { key, value in
                    guard key == "results" else { return }
                    try value.array { row in
                        try row.object { key, value in
                            guard key == "docs" else { return }
                            try value.array { item in
                                try item.object { key, value in
                                    if key == "ok" { documents.append(try value.raw()) }
                                    if key == "error" { errors.append(try JSONValue(reading: &value)) }
                                }
                            }
                        }
                    }
                }
            }
        } catch {
            throw ReplicationError(.upstream, "The answer of _bulk_get is malformed", cause: error)
        }
        for error in errors { refuse(error) }
        for document in documents {
            do {
                try await read(document: document)
            } catch  where !(error is StorageError || error is CancellationError) {
                // The caller requests this revision singly.
                continue
            }
        }
    }
}
