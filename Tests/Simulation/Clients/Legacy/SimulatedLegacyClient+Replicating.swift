import Documents
import HTTP
import HTTPTypes

extension SimulatedLegacyClient {
    func replicate(_ direction: Direction, over line: Line) async throws {
        if direction.pushes { try await push(over: line) }
        if direction.pulls { try await pull(over: line) }
    }

    // MARK: Checkpoints

    private func path(of direction: Direction) -> String { "_local/\(PercentEncoding.encodePathSegment(identity))-\(direction.rawValue)" }

    /// The position to go on from: the common checkpoint of server and client, or the beginning.
    ///
    /// - Returns: The server's revision of the checkpoint, too.
    func loadCheckpoint(_ direction: Direction, _ wire: LegacyWire) async throws -> (since: String?, revision: String?) {
        if direction == .pull, isContinuous, let running, let since = checkpoints[.pull] { return (since, running) }
        // iOS does not ask without a checkpoint of its own.
        if software != .java, checkpoints[direction] == nil { return (nil, nil) }
        let (status, json) = try await wire.send(.get, path(of: direction))
        guard status == 200 || status == 404 else { throw UnexpectedMessage("GET of a checkpoint: \(status)") }
        let there = json["lastSequence"]?.string
        return (there == checkpoints[direction] ? there : nil, status == 200 ? json["_rev"]?.string : nil)
    }

    /// Saves the checkpoint at the server and then here; after a conflict it reads the present revision, as Couchbase Lite does.
    func saveCheckpoint(_ direction: Direction, _ sequence: String, _ revision: inout String?, _ wire: LegacyWire) async throws {
        for _ in 0..<3 {
            let known = revision.map { ",\"_rev\":\"\($0)\"" } ?? ""
            let (status, json) = try await wire.send(
                .put, path(of: direction), Array("{\"lastSequence\":\"\(sequence)\"\(known)}".utf8))
            wire.line.traffic.checkpoints += 1
            switch status {
            case 201:
                revision = json["rev"]?.string
                checkpoints[direction] = sequence
                if direction == .pull { running = revision }
                return
            case 404: revision = nil
            case 409: revision = try await wire.send(.get, path(of: direction)).json["_rev"]?.string
            default: throw UnexpectedMessage("PUT of a checkpoint: \(status)")
            }
        }
        throw UnexpectedMessage("A checkpoint cannot be saved")
    }

    // MARK: Pulling

    private static var feedBatch: Int { 4 }

    private func pull(over line: Line) async throws {
        let wire = LegacyWire(line: line)
        var (since, revision) = try await loadCheckpoint(.pull, wire)
        if software != .java { return try await follow(since, &revision, wire) }
        while true {
            let query = "style=all_docs&limit=\(Self.feedBatch)&since=\(since ?? "0")"
            let (status, json) = try await wire.send(.get, "_changes?\(query)")
            guard status == 200, let rows = json["results"]?.array, let last = json["last_seq"]?.string else {
                throw UnexpectedMessage("_changes: \(status)")
            }
            line.traffic.rows += rows.count
            for row in rows { try await handle(row, wire) }
            if !rows.isEmpty, last != since { try await saveCheckpoint(.pull, last, &revision, wire) }
            since = last
            if rows.count < Self.feedBatch { return }
        }
    }

    func handle(_ row: JSONValue, _ wire: LegacyWire) async throws {
        guard let id = row["id"]?.string, let changes = row["changes"]?.array else { throw UnexpectedMessage("a row without an ID") }
        for change in changes {
            guard let revision = change["rev"]?.string.flatMap({ RevisionID($0) }) else {
                throw UnexpectedMessage("a row without a revision")
            }
            guard documents[id]?.tree.contains(revision) != true else { continue }
            guard let json = try await fetch(id, revision, wire) else { continue }
            try handle(json, id, wire.line)
        }
    }

    /// A revision with its history: first generations by `_bulk_get`, others one by one; `nil` for a revision of an invisible branch, which Couchbase
    /// Lite skips.
    private func fetch(_ id: String, _ revision: RevisionID, _ wire: LegacyWire) async throws -> JSONValue? {
        let known = documents[id]?.tree.possibleAncestors(of: revision, limit: 10).filter { documents[id]?.contents[$0] != nil } ?? []
        if revision.generation == 1 {
            let body = "{\"docs\":[{\"id\":\"\(id)\",\"rev\":\"\(revision)\"}]}"
            let (status, json) = try await wire.send(.post, "_bulk_get?revs=true&attachments=true", Array(body.utf8))
            guard status == 200, let found = json["results"]?.array?.first?["docs"]?.array?.first?["ok"] else {
                if wire.line.isLimited { return nil }
                throw UnexpectedMessage("_bulk_get of \(id) \(revision): \(status)")
            }
            return found
        }
        let list = known.map { "\"\($0)\"" }.joined(separator: ",")
        let since = known.isEmpty ? "" : "&atts_since=\(PercentEncoding.encodeQueryComponent("[\(list)]"))"
        let (status, json) = try await wire.send(
            .get, "\(PercentEncoding.encodePathSegment(id))?rev=\(revision)&revs=true&attachments=true\(since)")
        if wire.line.isLimited, [403, 404].contains(status) { return nil }
        guard status == 200 else { throw UnexpectedMessage("GET of \(id) \(revision): \(status)") }
        return json
    }

    private func handle(_ json: JSONValue, _ id: String, _ line: Line) throws {
        if json["_removed"]?.bool == true {
            line.traffic.pulled += 1
            // The content of one branch, and of the document unless another branch wins.
            if let revision = json["_rev"]?.string.flatMap({ RevisionID($0) }), let winner = documents[id]?.tree.winner, !winner.isDeleted,
                winner.id > revision
            {
                return
            }
            if documents.removeValue(forKey: id) != nil { line.ledger.happen(.removed) }
            return
        }
        guard let start = json["_revisions"]?["start"]?.int, let digests = json["_revisions"]?["ids"]?.array else {
            throw UnexpectedMessage("\(id) came without its history")
        }
        let history = digests.enumerated().compactMap { RevisionID(generation: start - $0, digest: $1.string ?? "") }
        guard history.count == digests.count, let revision = history.first else { throw UnexpectedMessage("\(id) has a malformed history") }
        let content = Content(json, isDeleted: json["_deleted"]?.bool ?? false, photo: try photo(json["_attachments"]?["photo"], id))
        line.traffic.pulled += 1
        let place = Place(keyspace: "", id: id)
        line.recordFirstLogin(of: content, at: place, to: name)
        line.ledger.record(content, of: revision.text, at: place)
        if documents[id]?.contents[revision] != nil { line.recordRepetition(of: revision.text, at: place, to: name) }
        try store(content, history, id)
        documents[id]?.synced.formUnion(history)
    }

    /// The content of the received bytes; for a stub, of the stored attachment.
    private func photo(_ entry: JSONValue?, _ id: String) throws -> AttachmentDigest? {
        guard let entry else { return nil }
        if let data = entry["data"]?.string {
            let bytes = try Base64.decode(data.utf8)
            return AttachmentDigest.sha1(of: bytes)
        }
        let digest = entry["digest"]?.string
        guard let held = documents[id]?.contents.values.compactMap(\.photo).first(where: { $0.description == digest }) else {
            throw UnexpectedMessage("\(id): the stub of an attachment that is not here")
        }
        return held
    }
}
