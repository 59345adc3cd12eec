import Documents
import Gateway
import HTTPTypes
import HummingbirdCore
import LegacyProtocol

/// `_bulk_docs`: many documents in one request.
enum BulkDocsEndpoint {
    /// Answers 201 if the body could be read; each row contains the result of its document.
    static func write(_ call: LegacyCall) async throws -> Response {
        var reader = BulkDocsReader(call)
        let request = try await reader.read()
        let rows = try await BulkDocsWriter(call: call, request: request).write()
        return .json(BulkDocsResponse.encode(rows, saysOK: request.makesRevisions), status: .created)
    }
}

/// Writes the items of a `_bulk_docs` request: first the documents in one transaction, then the local documents, so that no checkpoint is ahead
/// of the documents that it covers.
struct BulkDocsWriter {
    let call: LegacyCall
    let request: BulkDocsRequest

    /// - Returns: A row for each item, in order.
    func write() async throws -> [BulkDocsResponse.Row] {
        var rows: [BulkDocsResponse.Row?] = Array(repeating: nil, count: request.items.count)
        var writes: [RevisionWrite] = []
        var places: [Int] = []
        writes.reserveCapacity(request.items.count)
        places.reserveCapacity(request.items.count)
        for (index, item) in request.items.enumerated() {
            guard case .document(let document) = item else { continue }
            do {
                writes.append(try await write(of: document, request.received[index] ?? []))
                places.append(index)
            } catch {
                rows[index] = .init(id: document.id ?? "", result: .failure(try Self.rowError(error)))
            }
        }
        let results = try await call.keyspace.write(writes)
        for (place, (write, result)) in zip(places, zip(writes, results)) {
            let result = result.map(\.revision.text).mapError { LegacyError(writing: write, $0) }
            rows[place] = .init(id: write.id, result: result)
        }
        for (index, item) in request.items.enumerated() {
            switch item {
            case .document: continue
            case .local(let input): rows[index] = try await row(of: input)
            case .failed(let id, let error): rows[index] = .init(id: id, result: .failure(error))
            }
        }
        return rows.compactMap { $0 }
    }

    private func write(of document: ParsedDocument, _ received: [ReceivedAttachment]) async throws -> RevisionWrite {
        if let id = document.id, DocumentID.isDesign(id), !call.caller.isAdministrator { throw LegacyError(.forbidden, "forbidden") }
        var write = try DocumentInput(document).write(makesRevision: request.makesRevisions)
        if let json = document.attachments {
            let importer = AttachmentImporter(keyspace: call.keyspace, limits: call.limits)
            try await importer.importAttachments(json, parts: received, into: &write)
        }
        return write
    }

    private func row(of input: LocalDocumentInput) async throws -> BulkDocsResponse.Row {
        let id = input.id ?? ""
        let name = String(decoding: id.utf8.dropFirst(LocalDocumentInput.prefix.utf8.count), as: UTF8.self)
        do {
            let body = input.isDeleted ? nil : input.body
            return .init(id: id, result: .success(try await LocalEndpoint.write(body, expected: input.revision, name, call)))
        } catch {
            return .init(id: id, result: .failure(try Self.rowError(error)))
        }
    }

    /// Returns an error of one document for its row. Throws an error of the server, which fails the request, so that the client retries it.
    static func rowError(_ error: any Error) throws -> LegacyError {
        let translated = LegacyError(translating: error)
        guard translated.code.status.code < 500 else { throw error }
        return translated
    }
}

/// The response of `_bulk_docs`: a row for each document, in the order of the request.
enum BulkDocsResponse {
    struct Row {
        let id: String
        let result: Result<String, LegacyError>
    }

    /// - Parameter saysOK: Whether successful rows have `"ok":true`, as in CouchDB if the server makes the revisions: scripts and PouchDB require
    ///   it. Sync Gateway omits it, and replicators check `error`.
    static func encode(_ rows: [Row], saysOK: Bool) -> [UInt8] {
        var bytes = Array("[".utf8)
        bytes.reserveCapacity(rows.count * 80 + 2)
        for (index, row) in rows.enumerated() {
            if index > 0 { JSONWriter.append(raw: ",", to: &bytes) }
            switch row.result {
            case .success(let revision):
                JSONWriter.append(raw: "{\"id\":", to: &bytes)
                JSONWriter.append(row.id, to: &bytes)
                if saysOK { JSONWriter.append(raw: ",\"ok\":true", to: &bytes) }
                JSONWriter.append(raw: ",\"rev\":", to: &bytes)
                JSONWriter.append(revision, to: &bytes)
                JSONWriter.append(raw: "}", to: &bytes)
            case .failure(let error):
                error.appendRow(id: row.id, to: &bytes)
            }
        }
        JSONWriter.append(raw: "]", to: &bytes)
        return bytes
    }
}
