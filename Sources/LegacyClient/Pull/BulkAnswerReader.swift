import AsyncHTTPClient
import Documents
import Gateway
import HTTP
import LegacyProtocol
import NIOCore
import Storage

/// Reads the answer of `_bulk_get` in either form as it comes, and hands over each revision.
///
/// A part that cannot be used costs only itself: who asked sees that its revision has not come, and asks for it alone.
struct BulkAnswerReader {
    private let keyspace: Keyspace
    private let limits: LegacyLimits
    private let deliver: (PulledRevision) async throws -> Void
    private let intake: AttachmentImporter
    private var inner: RelatedDocumentReader?
    private var headers: PartHeaders?
    private var json: [UInt8] = []

    /// Whether the rest of the part is passed over.
    private var isSkipping = false

    /// What the server says it does not give, by document and revision.
    private(set) var refusals: [(id: String, revision: String, error: ReplicationError)] = []

    init(keyspace: Keyspace, limits: LegacyLimits, deliver: @escaping (PulledRevision) async throws -> Void) {
        self.keyspace = keyspace
        self.limits = limits
        self.deliver = deliver
        intake = AttachmentImporter(keyspace: keyspace, limits: limits)
    }

    /// Reads all of it.
    ///
    /// - Throws: ``ReplicationError`` if the connection broke, or the answer is neither form.
    mutating func read(_ response: RemoteResponse) async throws {
        guard let type = response.contentType, type.isMultipart else {
            return try await readJSON(try await response.bytes(upTo: limits.bodySize))
        }
        do {
            var outer = MultipartParser(boundary: try MultipartBoundary(contentType: type))
            for try await buffer in response.body {
                for event in try outer.consume(Array(buffer.readableBytesView)) { try await take(event) }
            }
            try outer.finish()
        } catch let error as ReplicationError {
            await inner?.abandon()
            throw error
        } catch let error as MultipartError {
            await inner?.abandon()
            throw ReplicationError(error.code == .truncated ? .connectionLost : .upstream, error.message)
        } catch is CancellationError {
            await inner?.abandon()
            throw CancellationError()
        } catch {
            await inner?.abandon()
            throw ReplicationError(exchange: error, with: response.url)
        }
    }

    private mutating func take(_ event: MultipartEvent) async throws {
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
        try await take(document: text[...])
    }

    private mutating func take(document text: ArraySlice<UInt8>) async throws {
        let sizes = DocumentLimits(maximumSize: keyspace.database.configuration.limits.documentSize, maximumDepth: limits.depth)
        let document = try ParsedDocument(text, policy: .legacyUpstream, limits: sizes)
        guard document.id != nil else { return refuse(try JSONValue(text)) }
        try await deliver(try await PulledRevision(document, intake: intake))
    }

    private mutating func refuse(_ row: JSONValue) {
        guard let id = row["id"]?.string, let revision = row["rev"]?.string else { return }
        refusals.append((id, revision, RowError.error(in: row) ?? ReplicationError(.notFound, "The server does not have it")))
    }

    /// `{"results":[{"id","docs":[{"ok":{…}} or {"error":{…}}]}]}`: CouchDB and PouchDB Server.
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
            throw ReplicationError(.upstream, "The answer of _bulk_get is not as it should be", cause: error)
        }
        for error in errors { refuse(error) }
        for document in documents {
            do {
                try await take(document: document)
            } catch  where !(error is StorageError || error is CancellationError) {
                // It is asked for alone.
                continue
            }
        }
    }
}
