import BLIP
import Documents

extension ModernClient {
    static var pushBatch: Int { 4 }

    /// Documents behind the checkpoint that the server is not known to have, in the order of their sequences.
    func pending(_ keyspace: String) -> [Place] {
        let since = reached[keyspace]?.local ?? 0
        let isTrusted = !distrusted.contains(keyspace)
        let places = holdings.keys.filter { place in
            place.keyspace == keyspace && (database.sequence(of: place) > since || offeredAgain.contains(place))
                && (!isTrusted || database.isDirty(place))
        }
        return places.sorted { database.sequence(of: $0) < database.sequence(of: $1) }
    }

    func push(_ keyspace: String, _ conversation: Conversation) async throws {
        var places = pending(keyspace)[...]
        while !places.isEmpty {
            let batch = Array(places.prefix(Self.pushBatch))
            places = places.dropFirst(batch.count)
            refused.subtract(batch)
            offeredAgain.subtract(batch)
            try await push(batch, keyspace, conversation, isTrusted: !distrusted.contains(keyspace))
            // Refused documents count as done, too: the pull will send the conflicting revision.
            let done = batch.map(database.sequence).max() ?? 0
            reached[keyspace, default: ClientCheckpoint()].local = max(reached[keyspace]?.local ?? 0, done)
        }
    }

    private func push(_ batch: [Place], _ keyspace: String, _ conversation: Conversation, isTrusted: Bool) async throws {
        let offers = offers(of: batch, isTrusted: isTrusted)
        let reply = try await conversation.ask(proposal(of: offers, keyspace))
        try await carryOut(try answers(reply, offers, conversation), offers, keyspace, conversation)
    }

    typealias Proposed = (place: Place, offer: Offer, parent: String)

    func offers(of batch: [Place], isTrusted: Bool) -> [Proposed] {
        batch.compactMap { place in database.offer(place).map { (place, $0, parent: isTrusted ? $0.parent : "") } }
    }

    /// Handles the reply to an offered revision.
    func carryOut(
        _ answers: (list: [JSONValue], takeDeltas: Bool), _ offers: [Proposed], _ keyspace: String, _ conversation: Conversation
    ) async throws {
        for ((place, offer, parent), answer) in zip(offers, answers.list) {
            // Revisions that a pull has superseded meanwhile are not offered.
            guard database.offer(place)?.revision == offer.revision else { continue }
            switch answer["status"]?.int ?? answer.int {
            case 0:
                // Two tombstones are no conflict, so either is accepted.
                if !database.isEdited(place), !offer.content.isDeleted {
                    conversation.line.recordUnneeded(offer.revision, at: place, from: name)
                }
                try await send(offer, place, conversation, asDelta: answers.takeDeltas && !parent.isEmpty)
            case 304: try recordAcknowledged(offer, place, conversation)
            case 409:
                // A revision of the server that is an ancestor here is no conflict: only the acknowledgement was lost.
                guard let current = answer["rev"]?.string, current != parent, database.follows(current, at: place) else {
                    refused.insert(place)
                    continue
                }
                if database.isDirty(place) { try await push([place], keyspace, conversation, isTrusted: true) }
            default: throw UnexpectedMessage("\(place) was refused: \(answer)")
            }
        }
    }

    func proposal(of offers: [Proposed], _ keyspace: String) -> BLIPMessage {
        let rows = offers.map { place, offer, parent in
            let names = offer.whole.map { ($0.revision, parent.isEmpty ? "" : $0.parent) } ?? (offer.revision, parent)
            return "[\"\(place.id)\",\"\(names.0)\",\"\(names.1)\",\(offer.content.properties.count)]"
        }
        var properties = properties(keyspace)
        properties.add("conflictIncludesRev", "true")
        return .request("proposeChanges", properties: properties, body: Array("[\(rows.joined(separator: ","))]".utf8))
    }

    /// - Returns: A reply for each, and whether revisions may be sent as deltas.
    func answers(_ reply: BLIPMessage, _ offers: [Proposed], _ conversation: Conversation) throws -> (list: [JSONValue], takeDeltas: Bool) {
        guard reply.type == .reply, let answers = try JSONValue(reply.body).array else {
            throw UnexpectedMessage("proposeChanges: \(reply.errorMessage ?? "malformed")")
        }
        conversation.line.traffic.offers += offers.count
        return (offers.indices.map { $0 < answers.count ? answers[$0] : .number("0") }, reply.properties["deltas"] == "true")
    }

    private func send(_ offer: Offer, _ place: Place, _ conversation: Conversation, asDelta: Bool) async throws {
        var properties = properties(place.keyspace)
        properties.add("id", place.id)
        properties.add("rev", offer.revision)
        properties.add("sequence", "\(offer.sequence)")
        properties.add("noconflicts", "true")
        if let history = offer.history { properties.add("history", history) }
        if offer.content.isDeleted { properties.add("deleted", "1") }
        var body = body(of: offer, conversation)
        let delta = asDelta ? try delta(offer, body) : nil
        if let delta {
            conversation.line.ledger.happen(.sentDelta)
            properties.add("deltaSrc", offer.parent)
            body = delta
        }
        let versions = database as? VersionDatabase
        versions?.recordSent(place)
        // A concurrent pull may remove the document before the reply.
        let seen = versions.flatMap { $0.hasMade(offer.revision) ? $0.seen(place) : nil }
        let reply = try await conversation.ask(.request("rev", properties: properties, body: body, isCompressed: true))
        if reply.type == .error {
            if delta != nil, reply.errorCode == 422 { return try await send(offer, place, conversation, asDelta: false) }
            guard reply.errorCode == 409 else { throw UnexpectedMessage("rev of \(place): \(reply.errorMessage ?? "")") }
            refused.insert(place)
            return
        }
        conversation.line.traffic.pushed += 1
        try recordAcknowledged(offer, place, conversation)
        if versions != nil, Version(offer.revision) != nil {
            conversation.line.recordVersion(offer, seen: seen, at: place, to: name)
        }
    }

    /// The body as a delta from the parent's; `nil` if it is sent whole.
    private func delta(_ offer: Offer, _ body: [UInt8]) throws -> [UInt8]? {
        guard let base = offer.base, !offer.content.isDeleted, offer.content.photo == nil else { return nil }
        let delta = try JSONDelta.create(from: base, to: body)
        return delta.count < body.count ? delta : nil
    }

    private func body(of offer: Offer, _ conversation: Conversation) -> [UInt8] {
        guard let photo = offer.content.photo, let number = offer.content.number else { return Array("{\(offer.content.members)}".utf8) }
        let bytes = Content.photo(of: number)
        conversation.blobs = [photo.description: bytes]
        let revpos = offer.generation.map { ",\"revpos\":\($0)" } ?? ""
        let stub =
            "{\"_attachments\":{\"photo\":{\"stub\":true,\"content_type\":\"image/png\",\"length\":\(bytes.count),\"digest\":\"\(photo)\""
            + "\(revpos)}},"
        return Array("\(stub)\(offer.content.members)}".utf8)
    }

    private func recordAcknowledged(_ offer: Offer, _ place: Place, _ conversation: Conversation) throws {
        try database.recordAcknowledged(offer, at: place)
        conversation.line.recordAcknowledged(offer.revision, at: place, to: name)
    }
}
