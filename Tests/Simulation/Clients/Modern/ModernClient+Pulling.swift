import BLIP
import Documents

extension ModernClient {
    func pull(_ keyspace: String, _ conversation: Conversation) async throws {
        lost = []
        conversation.beginPull(properties(keyspace)["collection"])
        let reply = try await conversation.ask(.request("subChanges", properties: subscription(keyspace, at: conversation.line.server)))
        guard reply.type == .reply else { throw UnexpectedMessage("subChanges: \(reply.errorMessage ?? "")") }
        var expected = Expected()
        while !expected.isOver {
            let request = try await conversation.nextRequest()
            switch request.profile {
            case "changes":
                let isLow = conversation.line.server.countsLow
                let rows = try JSONValue(isLow ? SmallSequences.leaving(request.body) : request.body).array ?? []
                try expected.record(rows)
                conversation.line.traffic.rows += rows.count
                let answers = try rows.map { try answer(to: $0, keyspace, conversation.line) }
                for (row, answer) in zip(rows, answers) where answer != "0" { expected.ask(for: row.array?[1].string ?? "") }
                guard !request.noReply else { continue }
                let body = Array("[\(answers.joined(separator: ","))]".utf8)
                try await conversation.reply(.reply(to: request.number, properties: ["maxHistory": "50", "deltas": "true"], body: body))
            case "rev":
                if try await handle(request, keyspace, conversation) { try expected.come(request) }
            case "norev":
                // Documents that left between their row and their revision, or that would conflict with an unconfirmed edit of an upgraded database.
                let isUnexpected = request.properties["error"] != "410" || !isUpgraded
                guard conversation.line.isLimited || !isUnexpected else {
                    throw UnexpectedMessage("norev of \(request.properties["id"] ?? "")")
                }
                try expected.come(request)
            default: throw UnexpectedMessage("a request for \(request.profile ?? "nothing")")
            }
        }
        try conversation.endPull()
        if let last = expected.last { reached[keyspace, default: ClientCheckpoint()].remote = last }
        // The bridge's reply to an upgraded database depends on its pull, so the pull behaves as LiteCore's, which ends only with the connection.
        guard !isUpgraded else { return }
        _ = try await conversation.ask(.request("unsubChanges", properties: properties(keyspace)))
    }

    /// The state of a pull: LiteCore counts revisions, traps at a number below zero, and releases its state at the end.
    private struct Expected {
        private var revisions: [String: Int] = [:]
        private var isCaughtUp = false

        /// The JSON of the last row's sequence.
        private(set) var last: String?

        var isOver: Bool { isCaughtUp && revisions.isEmpty }

        mutating func record(_ rows: [JSONValue]) throws {
            guard !isCaughtUp || rows.isEmpty else { throw UnexpectedMessage("rows come after the word that all have come: LiteCore dies") }
            if rows.isEmpty { isCaughtUp = true }
            if let row = rows.last { last = row.array?.first?.text }
        }

        mutating func ask(for id: String) { revisions[id, default: 0] += 1 }

        mutating func come(_ request: BLIPMessage) throws {
            guard let id = request.properties["id"], let count = revisions[id] else {
                throw UnexpectedMessage(
                    "\(request.profile ?? "") of \(request.properties["id"] ?? "nothing") was not asked for: LiteCore stops")
            }
            revisions[id] = count == 1 ? nil : count - 1
        }
    }

    private func subscription(_ keyspace: String, at server: Node) -> BLIPProperties {
        var properties = properties(keyspace)
        properties.add("batch", "10")
        if let since = reached[keyspace]?.remote {
            properties.add("since", server.countsLow ? String(decoding: SmallSequences.entering(Array(since.utf8)), as: UTF8.self) : since)
        }
        if generation != .second { properties.add("revocations", "true") }
        if generation == .fourth {
            properties.add("sendReplacementRevs", "1")
            properties.add("versioning", "version-vectors")
        }
        return properties
    }

    /// `0` for an unwanted revision, otherwise the possible ancestors of the new revision.
    private func answer(to row: JSONValue, _ keyspace: String, _ line: Line) throws -> String {
        guard let row = row.array, row.count >= 3, let id = row[1].string, let revision = row[2].string else {
            throw UnexpectedMessage("a malformed row of changes")
        }
        let place = Place(keyspace: keyspace, id: id)
        // 1: deleted, 2: access was lost, 4: the document has left. With each of them the client removes the document.
        let flags = row.count > 3 ? row[3].int ?? 0 : 0
        guard flags & 6 == 0 || flags & 1 == 1 else {
            remove(place, line)
            return "0"
        }
        if flags & 6 != 0 { lost.insert(place) }
        guard let known = try database.ancestors(of: revision, at: place) else {
            if refused.contains(place), database.isDirty(place) { offeredAgain.insert(place) }
            return "0"
        }
        return "[\(known.map { "\"\($0)\"" }.joined(separator: ","))]"
    }

    private func remove(_ place: Place, _ line: Line) {
        if holdings[place] != nil { line.ledger.happen(.removed) }
        database.purge(place)
    }

    /// - Returns: Whether it was stored; otherwise it is sent again.
    private func handle(_ request: BLIPMessage, _ keyspace: String, _ conversation: Conversation) async throws -> Bool {
        guard let id = request.properties["id"], let revision = request.properties["rev"] else {
            throw UnexpectedMessage("a rev without its ID")
        }
        let place = Place(keyspace: keyspace, id: id)
        let line = conversation.line
        guard let body = try whole(request, at: place, line) else {
            try await conversation.reply(.error(to: request.number, code: 422, message: "the base is not here"))
            return false
        }
        let json = try JSONValue(body)
        line.traffic.pulled += 1
        if json["_removed"]?.bool == true {
            remove(place, line)
        } else {
            if database.holdings[place] != nil, !lost.contains(place), try database.ancestors(of: revision, at: place) == nil {
                line.recordRepetition(of: revision, at: place, to: name)
            }
            var photo: AttachmentDigest?
            if let digest = json["_attachments"]?["photo"]?["digest"]?.string {
                photo = try await fetch(digest, of: id, keyspace, conversation)
            }
            let content = Content(json, isDeleted: request.properties["deleted"] != nil, photo: photo)
            line.recordFirstLogin(of: content, at: place, to: name)
            let arrival = Arrival(revision: revision, history: request.properties["history"], content: content, body: body)
            try database.store(arrival, at: place, ledger: line.ledger)
        }
        if !request.noReply { try await conversation.reply(.reply(to: request.number)) }
        return true
    }

    /// The whole body of a revision; `nil` for a delta whose base is not stored here.
    private func whole(_ request: BLIPMessage, at place: Place, _ line: Line) throws -> [UInt8]? {
        guard let source = request.properties["deltaSrc"] else { return request.body }
        line.ledger.happen(.receivedDelta)
        return try database.body(of: source, at: place).map { try JSONDelta.apply(request.body, to: $0) }
    }

    /// An attachment, unless it is stored here; its digest is computed from the received bytes.
    private func fetch(_ digest: String, of id: String, _ keyspace: String, _ conversation: Conversation) async throws -> AttachmentDigest {
        if let held = holdings.values.compactMap(\.content.photo).first(where: { $0.description == digest }) { return held }
        var properties = properties(keyspace)
        properties.add("digest", digest)
        properties.add("docID", id)
        let reply = try await conversation.ask(.request("getAttachment", properties: properties))
        guard reply.type == .reply else { throw UnexpectedMessage("getAttachment: \(reply.errorMessage ?? "")") }
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
