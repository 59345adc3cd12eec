import BLIP
import Documents

extension ModernClient {
    private static var pushBatch: Int { 4 }

    /// Documents behind the checkpoint that the server is not known to have, in the order of their sequences.
    func pending(_ keyspace: String) -> [Place] {
        let since = checkpoints[keyspace]?.local ?? 0
        return documents.filter { $0.key.keyspace == keyspace && $0.value.isDirty && $0.value.sequence > since }
            .sorted { $0.value.sequence < $1.value.sequence }.map(\.key)
    }

    func push(_ keyspace: String, _ conversation: Conversation) async throws {
        var places = pending(keyspace)[...]
        while !places.isEmpty {
            let batch = Array(places.prefix(Self.pushBatch))
            places = places.dropFirst(batch.count)
            try await push(batch, keyspace, conversation)
            // What was refused counts as done, too: the pull will bring what stands in its way.
            let done = batch.compactMap { documents[$0]?.sequence }.max() ?? 0
            checkpoints[keyspace, default: Checkpoint()].local = max(checkpoints[keyspace]?.local ?? 0, done)
        }
    }

    private func push(_ batch: [Place], _ keyspace: String, _ conversation: Conversation) async throws {
        let answers = try await propose(batch, keyspace, conversation)
        for (place, answer) in zip(batch, answers) {
            switch answer["status"]?.int ?? answer.int {
            case 0: try await send(place, keyspace, conversation)
            case 304: noteAcknowledged(place, conversation)
            case 409:
                // A revision of the server's that is an ancestor here is no conflict: only its arrival there was not heard of.
                guard let current = answer["rev"]?.string.flatMap({ RevisionID($0) }),
                    documents[place]?.history.contains(current) ?? false, documents[place]?.remote != current
                else { continue }
                documents[place]?.remote = current
                if documents[place]?.isDirty ?? false { try await push([place], keyspace, conversation) }
            default: throw Surprise("\(place) was refused: \(answer)")
            }
        }
    }

    /// - Returns: An answer for each.
    private func propose(_ batch: [Place], _ keyspace: String, _ conversation: Conversation) async throws -> [JSONValue] {
        let rows = batch.compactMap { place in
            documents[place].map { "[\"\(place.id)\",\"\($0.revision)\",\"\($0.remote?.text ?? "")\",\($0.content.properties.count)]" }
        }
        var properties = properties(keyspace)
        properties.add("conflictIncludesRev", "true")
        let reply = try await conversation.ask(
            .request("proposeChanges", properties: properties, body: Array("[\(rows.joined(separator: ","))]".utf8)))
        guard reply.type == .reply, let answers = try JSONValue(reply.body).array else {
            throw Surprise("proposeChanges: \(reply.errorMessage ?? "malformed")")
        }
        conversation.line.traffic.offers += batch.count
        return batch.indices.map { $0 < answers.count ? answers[$0] : .number("0") }
    }

    private func send(_ place: Place, _ keyspace: String, _ conversation: Conversation) async throws {
        guard let document = documents[place] else { return }
        var properties = properties(keyspace)
        properties.add("id", place.id)
        properties.add("rev", document.revision.text)
        properties.add("sequence", "\(document.sequence)")
        properties.add("noconflicts", "true")
        if document.history.count > 1 { properties.add("history", document.history.dropFirst().map(\.text).joined(separator: ",")) }
        if document.content.isDeleted { properties.add("deleted", "1") }
        let reply = try await conversation.ask(
            .request("rev", properties: properties, body: body(of: document, conversation), isCompressed: true))
        if reply.type == .error {
            guard reply.errorCode == 409 else { throw Surprise("rev of \(place): \(reply.errorMessage ?? "")") }
            return
        }
        conversation.line.traffic.pushed += 1
        noteAcknowledged(place, conversation)
    }

    private func body(of document: ModernDocument, _ conversation: Conversation) -> [UInt8] {
        guard let photo = document.content.photo, let number = document.content.number else {
            return Array("{\(document.content.members)}".utf8)
        }
        let bytes = Content.photo(of: number)
        conversation.blobs = [photo.description: bytes]
        let stub =
            "{\"_attachments\":{\"photo\":{\"stub\":true,\"content_type\":\"image/png\",\"length\":\(bytes.count),\"digest\":\"\(photo)\","
            + "\"revpos\":\(document.revision.generation)}},"
        return Array("\(stub)\(document.content.members)}".utf8)
    }

    private func noteAcknowledged(_ place: Place, _ conversation: Conversation) {
        guard let revision = documents[place]?.revision else { return }
        documents[place]?.remote = revision
        conversation.line.noteAcknowledged(revision, at: place, to: name)
    }
}
