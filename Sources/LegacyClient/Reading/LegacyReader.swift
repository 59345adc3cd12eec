import AsyncHTTPClient
package import Documents
import HTTP
import NIOCore
import NIOHTTP1

/// Reads a database on a 1.x server. Writes nothing on either side; there is no checkpoint.
package final class LegacyReader: Sendable {
    /// The number of revisions per request.
    private static let group = 50

    let remote: RemoteDatabase

    init(_ remote: RemoteDatabase) {
        self.remote = remote
    }

    /// - Parameters:
    ///   - settings: How the reader authenticates, and which part of the database it reads, as for a pull.
    ///   - patience: The connect and read timeouts, at most; `nil` for those of a replication.
    /// - Throws: ``ReplicationError`` with code `badURL`.
    package convenience init(remoteURL: String, settings: ReplicationSettings, patience: Duration? = nil) throws(ReplicationError) {
        var limits = ReplicationLimits()
        if let patience {
            limits.connectTimeout = min(limits.connectTimeout, patience)
            limits.readTimeout = min(limits.readTimeout, patience)
        }
        limits.requestDelays = settings.attempts.requestDelays
        self.init(try RemoteDatabase(try RemoteURL(remoteURL), settings: settings, limits: limits, clock: ContinuousClock()))
    }

    /// Logs in and reads the database's description.
    ///
    /// - Throws: ``ReplicationError``.
    package func describe() async throws -> LegacyDatabaseInfo {
        try await remote.logIn()
        let info = try await value(RemoteRequest(""))
        let counts = [info["doc_count"]?.int, info["doc_del_count"]?.int].compactMap { $0 }.filter { 0...(1 << 53) ~= $0 }
        return LegacyDatabaseInfo(
            server: remote.features.name, identity: info["server_uuid"]?.string ?? info["uuid"]?.string,
            documents: counts.isEmpty ? nil : counts.reduce(0, +))
    }

    /// The next changes, with all leaves of each document. Documents whose IDs begin with `_` (users, roles, design documents) belong to the
    /// server and are omitted.
    ///
    /// - Parameter since: The sequence of the last change that was read; `nil` for the beginning.
    /// - Returns: An empty array if there are no more changes.
    package func changes(since: String?, limit: Int) async throws -> [LegacyChange] {
        var since = since.map { OpaqueSequence($0) }
        while true {
            var request = ChangesRequest(.normal, since: since, settings: remote.settings)
            request.limit = limit
            var answer = try await HTTPChanges.open(request, on: remote)
            var rows: [RemoteRow] = []
            while let more = try await answer.next() { rows += more }
            guard let last = rows.last else { return [] }
            let found = Self.joined(rows.filter { !$0.id.hasPrefix("_") })
            guard found.isEmpty else { return found }
            // All rows were the server's own documents. A server that repeats the same sequence has no more rows.
            guard last.sequence != since else { return [] }
            since = last.sequence
        }
    }

    /// Joins consecutive rows of one document into one change: a bridge sends the leaves of a conflict to Couchbase Lite in two rows.
    private static func joined(_ rows: [RemoteRow]) -> [LegacyChange] {
        var changes: [LegacyChange] = []
        for row in rows {
            var revisions = row.revisions
            var isDeleted = row.isDeleted
            if let before = changes.last, ExactString(before.id) == ExactString(row.id) {
                revisions = before.revisions + revisions.filter { !before.revisions.contains($0) }
                isDeleted = isDeleted && before.isDeleted
                changes.removeLast()
            }
            changes.append(LegacyChange(id: row.id, revisions: revisions, isDeleted: isDeleted, sequence: row.sequence.text))
        }
        return changes
    }

    /// All leaves of documents, with histories; attachments as stubs.
    ///
    /// - Returns: For each change its revisions, or the reason why the document cannot be read.
    /// - Throws: ``ReplicationError`` if the server cannot be read.
    package func leaves(of changes: [LegacyChange]) async throws -> [LegacyServerDocument] {
        let wanted = changes.flatMap { change in change.revisions.map { (change.id, $0) } }
        var found: [ExactString: [ParsedDocument]] = [:]
        if remote.features.hasBulkGet {
            for start in stride(from: 0, to: wanted.count, by: Self.group) {
                for document in try await bulk(wanted[start..<min(start + Self.group, wanted.count)]) {
                    if let id = document.id { found[ExactString(id), default: []].append(document) }
                }
            }
        }
        var documents: [LegacyServerDocument] = []
        for change in changes {
            let revisions = found[ExactString(change.id)] ?? []
            let isWhole = change.revisions.allSatisfy { text in revisions.contains { $0.revision?.text == text } }
            documents.append(isWhole ? LegacyServerDocument(change, revisions) : try await openLeaves(of: change))
        }
        return documents
    }

    /// Reads an attachment as it arrives.
    ///
    /// - Throws: ``ReplicationError``, with code `notFound` if the server does not have it; what `consume` throws.
    package func readAttachment(
        named name: String, of id: String, revision: RevisionID, _ consume: (ArraySlice<UInt8>) async throws -> Void
    ) async throws {
        let path = "\(PercentEncoding.encodeDocumentID(id))/\(PercentEncoding.encodePathSegment(name))"
        var request = RemoteRequest("\(path)?rev=\(PercentEncoding.encodeQueryComponent(revision.text))")
        request.accept = "*/*"
        request.takesPages = true
        let response = try await remote.send(request)
        var iterator = response.body.makeAsyncIterator()
        while let buffer = try await next(&iterator, response.url) { try await consume(buffer[...]) }
    }

    package func close() async {
        await remote.close()
    }

    func value(_ request: RemoteRequest) async throws -> JSONValue {
        let bytes = try await remote.json(request)
        do {
            return try JSONValue(bytes)
        } catch {
            throw ReplicationError(local: error)
        }
    }

    /// - Returns: The documents that were received and can be read.
    private func bulk(_ wanted: ArraySlice<(String, String)>) async throws -> [ParsedDocument] {
        var body = Array("{\"docs\":[".utf8)
        for (id, revision) in wanted {
            if body.last != UInt8(ascii: "[") { body.append(UInt8(ascii: ",")) }
            JSONWriter.append(raw: "{\"id\":", to: &body)
            JSONWriter.append(id, to: &body)
            JSONWriter.append(raw: ",\"rev\":", to: &body)
            JSONWriter.append(revision, to: &body)
            body.append(UInt8(ascii: "}"))
        }
        body += Array("]}".utf8)
        do {
            let response = try await remote.send(RemoteRequest("_bulk_get?revs=true&attachments=false", method: .POST, json: body))
            return try await LegacyBulkAnswer.read(response, limits: remote.limits).compactMap { try? parse($0) }
        } catch let error as ReplicationError where [400, 404, 405, 406, 409, 415, 501].contains(error.code.rawValue) {
            // CouchDB 1.x takes the path for a document's.
            remote.record { $0.refusesBulkGet = true }
            return []
        } catch let error as ReplicationError where error.code == .tooLarge {
            return []
        }
    }

    /// The current leaves. They may have changed since the feed was read.
    private func openLeaves(of change: LegacyChange) async throws -> LegacyServerDocument {
        var request = RemoteRequest("\(PercentEncoding.encodeDocumentID(change.id))?open_revs=all&revs=true")
        request.accept = "application/json"
        do {
            let bytes = try await remote.json(request)
            var documents: [ParsedDocument] = []
            try JSONReader.read(bytes) { reader in
                try reader.array { item in
                    try item.object { key, value in
                        if key == "ok" { documents.append(try parse(Array(try value.raw()))) }
                    }
                }
            }
            return LegacyServerDocument(change, documents)
        } catch let error as ReplicationError where !error.isTransient && error.code != .unauthorized && error.code != .connectionLost {
            return LegacyServerDocument(change, fault: "the server does not return it: \(error.message)")
        } catch let error as DocumentError {
            return LegacyServerDocument(change, fault: error.message)
        } catch let error as JSONError {
            return LegacyServerDocument(change, fault: "the server's answer is not JSON: \(error)")
        }
    }

    private func parse(_ text: [UInt8]) throws -> ParsedDocument {
        try ParsedDocument(text, policy: .legacyUpstream)
    }

    private func next(
        _ iterator: inout RemoteResponse.Iterator, _ url: String
    ) async throws -> [UInt8]? {
        do {
            return try await iterator.next().map { Array($0.readableBytesView) }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw ReplicationError(exchange: error, with: url)
        }
    }
}

/// A 1.x server's description of a database.
package struct LegacyDatabaseInfo: Sendable, Equatable {
    /// `Sync Gateway 2.8.4`, `CouchDB`, `1.x server`.
    package let server: String

    /// The ID that distinguishes it from another database at the same URL, if the server reports one.
    package let identity: String?

    /// The number of documents, including tombstones if the server counts them; `nil` if it reports no count.
    package let documents: Int?
}

extension ServerFeatures {
    /// The server's kind and version for display.
    var name: String {
        if let syncGatewayVersion { return "Sync Gateway \(syncGatewayVersion)" }
        return isCouchbaseLite ? "Couchbase Lite listener" : isCouchDB ? "CouchDB" : "1.x server"
    }
}
