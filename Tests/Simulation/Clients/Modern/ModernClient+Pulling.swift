import BLIP
import Documents

extension ModernClient {
    func replicate(_ direction: Direction, over line: Line) async throws {
        let (ours, theirs) = await Pipe.pair()
        let serving = line.server.serve(theirs)
        do {
            try await replicate(direction, Conversation(over: ours, line))
        } catch {
            await ours.drop()
            await serving.value
            throw error
        }
        await ours.close(code: 1_000, reason: "")
        await serving.value
    }

    private func replicate(_ direction: Direction, _ conversation: Conversation) async throws {
        var saved = try await loadCheckpoints(conversation)
        for keyspace in keyspaces {
            let before = checkpoints[keyspace] ?? Checkpoint()
            // A resolved conflict has to be pushed, which can meet another conflict.
            for _ in 0..<4 {
                if direction != .pull { try await push(keyspace, conversation) }
                if direction != .push { try await pull(keyspace, conversation) }
                if direction != .both || pending(keyspace).isEmpty { break }
            }
            if checkpoints[keyspace] != before { try await saveCheckpoint(of: keyspace, before, &saved, conversation) }
        }
    }

    // MARK: Checkpoints

    private func id(of keyspace: String) -> String { "cp-\(name)-\(keyspace)" }

    func properties(_ keyspace: String) -> BLIPProperties {
        var properties = BLIPProperties()
        if namesCollections { properties.add("collection", "\(keyspaces.firstIndex(of: keyspace) ?? 0)") }
        return properties
    }

    /// Where it goes on: what the server and the client agree about; each half by itself.
    ///
    /// - Returns: The checkpoints' revisions on the server.
    private func loadCheckpoints(_ conversation: Conversation) async throws -> [String: String] {
        var found: [String: JSONValue] = [:]
        var revisions: [String: String] = [:]
        if namesCollections {
            let names = keyspaces.map { "\"\($0)\"" }.joined(separator: ",")
            let ids = keyspaces.map { "\"\(id(of: $0))\"" }.joined(separator: ",")
            let reply = try await conversation.ask(
                .request("getCollections", body: Array("{\"checkpoint_ids\":[\(ids)],\"collections\":[\(names)]}".utf8)))
            guard reply.type == .reply, let answers = try JSONValue(reply.body).array, answers.count == keyspaces.count else {
                throw Surprise("getCollections: \(reply.errorMessage ?? "malformed")")
            }
            for (keyspace, answer) in zip(keyspaces, answers) {
                found[keyspace] = answer
                revisions[keyspace] = answer["rev"]?.string
            }
        } else {
            let reply = try await conversation.ask(.request("getCheckpoint", properties: ["client": id(of: "")]))
            if reply.type == .reply {
                found[""] = try JSONValue(reply.body)
                revisions[""] = reply.properties["rev"]
            } else if reply.errorCode != 404 {
                throw Surprise("getCheckpoint: \(reply.errorMessage ?? "")")
            }
        }
        for keyspace in keyspaces {
            var checkpoint = checkpoints[keyspace] ?? Checkpoint()
            if found[keyspace]?["local"]?.int != checkpoint.local { checkpoint.local = 0 }
            if found[keyspace]?["remote"].map(\.text) != checkpoint.remote { checkpoint.remote = nil }
            checkpoints[keyspace] = checkpoint
        }
        return revisions
    }

    /// Saves it there. Here it counts only when it is there.
    private func saveCheckpoint(
        of keyspace: String, _ before: Checkpoint, _ saved: inout [String: String], _ conversation: Conversation
    ) async throws {
        let new = checkpoints[keyspace] ?? Checkpoint()
        checkpoints[keyspace] = before
        var properties = properties(keyspace)
        properties.add("client", id(of: keyspace))
        if let revision = saved[keyspace] { properties.add("rev", revision) }
        let remote = new.remote.map { ",\"remote\":\($0)" } ?? ""
        let reply = try await conversation.ask(
            .request("setCheckpoint", properties: properties, body: Array("{\"local\":\(new.local)\(remote)}".utf8)))
        guard reply.type == .reply else { throw Surprise("setCheckpoint: \(reply.errorMessage ?? "")") }
        conversation.line.traffic.checkpoints += 1
        saved[keyspace] = reply.properties["rev"]
        checkpoints[keyspace] = new
    }

    // MARK: Pulling

    private func pull(_ keyspace: String, _ conversation: Conversation) async throws {
        var properties = properties(keyspace)
        properties.add("batch", "10")
        if let since = checkpoints[keyspace]?.remote { properties.add("since", since) }
        let reply = try await conversation.ask(.request("subChanges", properties: properties))
        guard reply.type == .reply else { throw Surprise("subChanges: \(reply.errorMessage ?? "")") }
        var expected = 0
        var isCaughtUp = false
        var last: String?
        while !isCaughtUp || expected > 0 {
            let request = try await conversation.nextRequest()
            switch request.profile {
            case "changes":
                let rows = try JSONValue(request.body).array ?? []
                isCaughtUp = isCaughtUp || rows.isEmpty
                if let row = rows.last { last = row.array?.first?.text }
                conversation.line.traffic.rows += rows.count
                let answers = try rows.map { try answer(to: $0, keyspace) }
                expected += answers.count { $0 != "0" }
                guard !request.noReply else { continue }
                let body = Array("[\(answers.joined(separator: ","))]".utf8)
                try await conversation.reply(.reply(to: request.number, properties: ["maxHistory": "50"], body: body))
            case "rev":
                try await take(request, keyspace, conversation)
                expected -= 1
            case "norev": throw Surprise("norev of \(request.properties["id"] ?? "")")
            default: throw Surprise("a request for \(request.profile ?? "nothing")")
            }
        }
        if let last { checkpoints[keyspace, default: Checkpoint()].remote = last }
        _ = try await conversation.ask(.request("unsubChanges", properties: self.properties(keyspace)))
    }

    /// `0` for what is here, else the revisions that the new one may descend from.
    private func answer(to row: JSONValue, _ keyspace: String) throws -> String {
        guard let row = row.array, row.count >= 3, let id = row[1].string, let revision = row[2].string.flatMap({ RevisionID($0) }) else {
            throw Surprise("a malformed row of changes")
        }
        let place = Place(keyspace: keyspace, id: id)
        guard let document = documents[place] else { return "[]" }
        guard document.history.contains(revision) else {
            return "[\(document.history.filter { $0 < revision }.prefix(10).map { "\"\($0)\"" }.joined(separator: ","))]"
        }
        if document.remote.map({ $0 < revision }) ?? true { documents[place]?.remote = revision }
        return "0"
    }

    private func take(_ request: BLIPMessage, _ keyspace: String, _ conversation: Conversation) async throws {
        guard let id = request.properties["id"], let rev = request.properties["rev"] else { throw Surprise("a rev without its ID") }
        var history = try RevisionHistory.parse(rev: rev, history: request.properties["history"])
        let place = Place(keyspace: keyspace, id: id)
        let line = conversation.line
        if documents[place]?.history.contains(history[0]) ?? false { line.noteRepetition(of: history[0], at: place, to: name) }
        let json = try JSONValue(request.body)
        var photo: AttachmentDigest?
        if let digest = json["_attachments"]?["photo"]?["digest"]?.string {
            photo = try await fetch(digest, of: id, keyspace, conversation)
        }
        let content = Content(json, isDeleted: request.properties["deleted"] != nil, photo: photo)
        line.traffic.pulled += 1
        line.ledger.note(content, of: history[0], at: place)
        // The server leaves out what lies behind an ancestor that is here.
        if let ours = documents[place]?.history, let last = history.last, let index = ours.firstIndex(of: last) {
            history += ours[(index + 1)...]
        }
        try take(content, history, at: place, ledger: line.ledger)
        if !request.noReply { try await conversation.reply(.reply(to: request.number)) }
    }

    /// An attachment, unless it is here; its digest by the bytes that came.
    private func fetch(_ digest: String, of id: String, _ keyspace: String, _ conversation: Conversation) async throws -> AttachmentDigest {
        if let held = documents.values.compactMap(\.content.photo).first(where: { $0.description == digest }) { return held }
        var properties = properties(keyspace)
        properties.add("digest", digest)
        properties.add("docID", id)
        let reply = try await conversation.ask(.request("getAttachment", properties: properties))
        guard reply.type == .reply else { throw Surprise("getAttachment: \(reply.errorMessage ?? "")") }
        return AttachmentDigest.sha1(of: reply.body)
    }
}

extension JSONValue {
    /// Its JSON.
    var text: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
