import Documents
import HTTP
import HTTPTypes

extension SimulatedLegacyClient {
    private static var pushBatch: Int { 4 }

    func push(over line: Line) async throws {
        let wire = LegacyWire(line: line)
        var (since, revision) = try await loadCheckpoint(.push, wire)
        while true {
            let batch = pending(since: since.flatMap { Int($0) } ?? 0).prefix(Self.pushBatch)
            guard let last = batch.last else { return }
            try await push(Array(batch), wire)
            let done = String(last.sequence)
            try await saveCheckpoint(.push, done, &revision, wire)
            since = done
        }
    }

    private struct Pending {
        let id: String
        let revision: RevisionID
        let sequence: Int
    }

    /// The leaves behind a local sequence, in its order.
    private func pending(since: Int) -> [Pending] {
        documents.flatMap { id, document in
            document.tree.leaves.compactMap { leaf in
                document.sequences[leaf.id].flatMap { $0 > since ? Pending(id: id, revision: leaf.id, sequence: $0) : nil }
            }
        }.sorted { $0.sequence < $1.sequence }
    }

    private func push(_ batch: [Pending], _ wire: LegacyWire) async throws {
        let byDocument = Dictionary(grouping: batch, by: \.id).sorted { $0.key < $1.key }
        let question = byDocument.map { id, revisions in
            "\"\(id)\":[\(revisions.map { "\"\($0.revision)\"" }.joined(separator: ","))]"
        }
        let (status, json) = try await wire.send(.post, "_revs_diff", Array("{\(question.joined(separator: ","))}".utf8))
        guard status == 200 else { throw UnexpectedMessage("_revs_diff: \(status)") }
        wire.line.traffic.offers += batch.count
        let missing = batch.filter { row in
            json[row.id]?["missing"]?.array?.contains { $0.string == row.revision.text } ?? false
        }
        for row in batch where !missing.contains(where: { $0.id == row.id && $0.revision == row.revision }) {
            // The server has it: this counts as an acknowledgement.
            recordSynced(row)
            wire.line.recordAcknowledged(row.revision.text, at: Place(keyspace: "", id: row.id), to: name)
        }
        try await push(missing.filter { content(of: $0)?.photo == nil }, inBulkBy: wire)
        for row in missing where content(of: row)?.photo != nil { try await push(row, withPhotoBy: wire) }
    }

    private func content(of row: Pending) -> Content? { documents[row.id]?.contents[row.revision] }

    private func push(_ rows: [Pending], inBulkBy wire: LegacyWire) async throws {
        guard !rows.isEmpty else { return }
        let documents = rows.map { self.json(of: $0, attachments: "") }
        let body = "{\"docs\":[\(documents.joined(separator: ","))],\"new_edits\":false}"
        let (status, json) = try await wire.send(.post, "_bulk_docs", Array(body.utf8))
        guard status == 201, let answers = json.array, answers.count == rows.count else { throw UnexpectedMessage("_bulk_docs: \(status)") }
        for (row, answer) in zip(rows, answers) {
            if answer["error"]?.string == "conflict", wire.line.server.refusesBranches {
                try discard(row)
                continue
            }
            guard answer["error"] == nil else { throw UnexpectedMessage("\(row.id) \(row.revision) was refused") }
            recordAcknowledged(row, wire)
        }
    }

    private func push(_ row: Pending, withPhotoBy wire: LegacyWire) async throws {
        let bytes = Content.photo(of: content(of: row)?.number ?? 0)
        let digest = AttachmentDigest.sha1(of: bytes)
        let attachments =
            ",\"_attachments\":{\"photo\":{\"follows\":true,\"content_type\":\"image/png\",\"length\":\(bytes.count),"
            + "\"digest\":\"\(digest)\",\"revpos\":\(row.revision.generation)}}"
        let boundary = "simulated"
        var body = Array("--\(boundary)\r\nContent-Type: application/json\r\n\r\n".utf8)
        body += Array(json(of: row, attachments: attachments).utf8)
        body += Array(
            "\r\n--\(boundary)\r\nContent-Disposition: attachment; filename=\"photo\"\r\nContent-Type: image/png\r\n\r\n".utf8)
        body += bytes + Array("\r\n--\(boundary)--".utf8)
        let path = "\(PercentEncoding.encodePathSegment(row.id))?new_edits=false"
        let (status, _) = try await wire.send(.put, path, body, type: "multipart/related; boundary=\"\(boundary)\"")
        if status == 409, wire.line.server.refusesBranches { return try discard(row) }
        guard status == 201 else { throw UnexpectedMessage("PUT of \(row.id) \(row.revision): \(status)") }
        recordAcknowledged(row, wire)
    }

    /// For a conflict with a server that keeps a single branch: the app uses the server's revision.
    private func discard(_ row: Pending) throws {
        try documents[row.id]?.discard(row.revision)
        if documents[row.id]?.tree.isEmpty == true { documents[row.id] = nil }
    }

    private func recordSynced(_ row: Pending) {
        let history = documents[row.id]?.tree.history(of: row.revision) ?? []
        documents[row.id]?.synced.formUnion(history)
    }

    private func recordAcknowledged(_ row: Pending, _ wire: LegacyWire) {
        recordSynced(row)
        wire.line.traffic.pushed += 1
        wire.line.recordAcknowledged(row.revision.text, at: Place(keyspace: "", id: row.id), to: name)
    }

    private func json(of row: Pending, attachments: String) -> String {
        let history = documents[row.id]?.tree.history(of: row.revision) ?? []
        let digests = history.map { "\"\($0.digest)\"" }.joined(separator: ",")
        let content = self.content(of: row) ?? .tombstone
        let members = content.members
        return "{\"_id\":\"\(row.id)\",\"_rev\":\"\(row.revision)\","
            + "\"_revisions\":{\"start\":\(row.revision.generation),\"ids\":[\(digests)]}"
            + "\(content.isDeleted ? ",\"_deleted\":true" : "")\(attachments)\(members.isEmpty ? "" : ",\(members)")}"
    }
}
