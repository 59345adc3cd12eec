import BLIP
import Documents
import HTTP

/// One connection of a 2.x+ client, from opening to close.
final class ModernExchange {
    private(set) var documents: [String: [ExactString: PeerDocument]]
    private(set) var since: [String: String]
    private(set) var fetched = 0

    private let collections: [String]
    private let push: [String: [PeerRevision]]
    private let pulls: Bool
    private let takesRevocations: Bool
    private let toleratesRefusals: Bool

    /// The statuses of refused revisions, and the purged documents, by collection.
    private(set) var refused: [String: [ExactString: Int]] = [:]
    private(set) var purged: [String: Set<ExactString>] = [:]
    private let blip = BLIPConnection()

    /// The handlers of replies, by request number.
    private var awaited: [UInt64: (BLIPMessage) throws -> Void] = [:]

    /// The number of requested revisions that are missing, and of collections that are not caught up.
    private var expectedRevisions = 0
    private var expectedMarkers = 0

    /// The attachments that the server may request while a pushed revision has no reply.
    private var attachments: [String: [UInt8]] = [:]

    init(
        collections: [String], push: [String: [PeerRevision]], pulls: Bool, takesRevocations: Bool, toleratesRefusals: Bool,
        held: [String: [ExactString: PeerDocument]], since: [String: String]
    ) {
        self.takesRevocations = takesRevocations
        self.toleratesRefusals = toleratesRefusals
        self.collections = collections
        self.push = push
        self.pulls = pulls
        self.since = since
        documents = held
    }

    func run(over socket: any WebSocketConnection) async throws {
        if collections.isEmpty {
            try begin("")
        } else {
            try open()
        }
        try await flush(to: socket)
        while !isDone {
            guard let messages = try await socket.receive() else {
                throw PeerError("The server closed the connection: \(String(describing: socket.closure))")
            }
            for message in messages {
                if let event = try blip.receive(message.bytes) { try handle(event) }
            }
            try await flush(to: socket)
        }
    }

    private var isDone: Bool { awaited.isEmpty && expectedRevisions == 0 && expectedMarkers == 0 && blip.queuedBytes == 0 }

    private func flush(to socket: any WebSocketConnection) async throws {
        var frames: [WebSocketMessage] = []
        while let frame = blip.nextFrame() { frames.append(.binary(frame)) }
        if !frames.isEmpty { try await socket.send(frames) }
    }

    private func ask(_ request: BLIPMessage, then: @escaping (BLIPMessage) throws -> Void) throws {
        awaited[try blip.send(request: request)] = { reply in
            if reply.type == .error {
                throw PeerError("The server answered \(reply.errorDomain ?? "") \(reply.errorCode ?? 0): \(reply.errorMessage ?? "")")
            }
            try then(reply)
        }
    }

    /// Records a refused revision.
    private func recordRefusal(_ status: Int, _ id: String, _ collection: String) throws {
        guard toleratesRefusals else { throw PeerError("\(id) was refused with \(status)") }
        refused[collection, default: [:]][ExactString(id)] = status
    }

    /// Purges a document that the server removed from the client.
    private func purge(_ id: String, _ collection: String) {
        if documents[collection]?.removeValue(forKey: ExactString(id)) != nil {
            purged[collection, default: []].insert(ExactString(id))
        }
    }

    private func open() throws {
        let ids = collections.map { "\"peer-\($0)\"" }.joined(separator: ",")
        let names = collections.map { "\"\($0)\"" }.joined(separator: ",")
        let body = #"{"checkpoint_ids":[\#(ids)],"collections":[\#(names)]}"#
        try ask(.request("getCollections", body: Array(body.utf8))) { [weak self] reply in
            guard let self else { return }
            let found = try JSONValue(reply.body).array ?? []
            for (name, answer) in zip(collections, found) where answer == .null {
                throw PeerError("The server has no collection \(name)")
            }
            for name in collections { try begin(name) }
        }
    }

    private func begin(_ collection: String) throws {
        var rest = (push[collection] ?? [])[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(200))
            rest = rest.dropFirst(batch.count)
            try propose(batch, collection)
        }
        guard pulls else { return }
        expectedMarkers += 1
        var properties = self.properties(collection)
        properties.add("batch", "200")
        if let since = since[collection] { properties.add("since", since) }
        if takesRevocations { properties.add("revocations", "true") }
        try ask(.request("subChanges", properties: properties)) { _ in }
    }

    private func properties(_ collection: String) -> BLIPProperties {
        var properties = BLIPProperties()
        if let index = collections.firstIndex(of: collection) { properties.add("collection", "\(index)") }
        return properties
    }

    private func propose(_ revisions: [PeerRevision], _ collection: String) throws {
        var body = Array("[".utf8)
        for (index, revision) in revisions.enumerated() {
            body += Array(index > 0 ? ",[".utf8 : "[".utf8)
            JSONWriter.append(revision.id, to: &body)
            let parent = revision.history.count > 1 ? revision.history[1].text : ""
            body += Array(",\"\(revision.history[0])\",\"\(parent)\",\(revision.body.count)]".utf8)
        }
        body.append(UInt8(ascii: "]"))
        var properties = self.properties(collection)
        properties.add("conflictIncludesRev", "true")
        try ask(.request("proposeChanges", properties: properties, body: body, isUrgent: true, isCompressed: true)) {
            [weak self] reply in
            guard let self else { return }
            let answers = try JSONValue(reply.body).array ?? []
            for (index, revision) in revisions.enumerated() {
                let answer = index < answers.count ? answers[index] : .number("0")
                switch answer.int ?? answer["status"]?.int ?? 500 {
                case 0: try send(revision, collection)
                case 304: break
                case let status: try recordRefusal(status, revision.id, collection)
                }
            }
        }
    }

    private func send(_ revision: PeerRevision, _ collection: String) throws {
        var properties = self.properties(collection)
        properties.add("id", revision.id)
        properties.add("rev", revision.history[0].text)
        properties.add("noconflicts", "1")
        properties.add("sequence", "1")
        if revision.history.count > 1 {
            properties.add("history", revision.history.dropFirst().map(\.text).joined(separator: ","))
        }
        if revision.isDeleted { properties.add("deleted", "1") }
        for attachment in revision.attachments {
            attachments[AttachmentDigest.sha1(of: attachment.bytes).description] = attachment.bytes
        }
        let body = ModernEncoding.body(of: revision)
        awaited[try blip.send(request: .request("rev", properties: properties, body: body, isCompressed: true))] = {
            [weak self] reply in
            guard let self else { return }
            guard reply.type != .error else { return try recordRefusal(reply.errorCode ?? 0, revision.id, collection) }
            documents[collection, default: [:]][ExactString(revision.id)] = PeerDocument(
                revision: revision.history[0], isDeleted: revision.isDeleted, body: try JSONValue(revision.body),
                attachments: Dictionary(
                    revision.attachments.map { (ExactString($0.name), AttachmentDigest.sha1(of: $0.bytes)) },
                    uniquingKeysWith: { first, _ in first }))
        }
    }

    private func handle(_ event: BLIPEvent) throws {
        switch event {
        case .reply(let reply):
            guard let then = awaited.removeValue(forKey: reply.number) else { return }
            try then(reply)
        case .request(let request):
            switch request.profile {
            case "changes": try receiveChanges(request)
            case "rev": try receiveRevision(request)
            case "norev": expectedRevisions -= 1
            case "getAttachment": try giveAttachment(request)
            case "proveAttachment": try blip.send(reply: .error(to: request.number, code: 404, message: "not proven here"))
            default: try blip.send(reply: .error(to: request.number, domain: "BLIP", code: 404, message: "no handler for message"))
            }
        case .replyPart: break
        }
    }

    private func collection(of request: BLIPMessage) -> String {
        request.properties.integer("collection").flatMap { collections.indices.contains($0) ? collections[$0] : nil } ?? ""
    }

    private func receiveChanges(_ request: BLIPMessage) throws {
        let collection = collection(of: request)
        guard let rows = try JSONValue(request.body).array, !rows.isEmpty else {
            expectedMarkers -= 1
            if !request.noReply { try blip.send(reply: .reply(to: request.number)) }
            return
        }
        var answers: [String] = []
        for row in rows {
            guard let row = row.array, row.count >= 3, let id = row[1].string, let revision = row[2].string else {
                throw PeerError("A row of changes is malformed")
            }
            var sequence: [UInt8] = []
            row[0].append(to: &sequence)
            since[collection] = String(decoding: sequence, as: UTF8.self)
            let flags = row.count > 3 ? row[3].int ?? 0 : 0
            if flags > 1, flags != 5 {
                // The flags mean that access is revoked or the document is removed, as in LiteCore.
                purge(id, collection)
                answers.append("0")
            } else if documents[collection]?[ExactString(id)]?.revision.text == revision {
                answers.append("0")
            } else {
                expectedRevisions += 1
                answers.append(documents[collection]?[ExactString(id)].map { "[\"\($0.revision)\"]" } ?? "[]")
            }
        }
        let properties: BLIPProperties = ["maxHistory": "50"]
        try blip.send(
            reply: .reply(
                to: request.number, properties: properties, body: Array("[\(answers.joined(separator: ","))]".utf8), isCompressed: true))
    }

    private func receiveRevision(_ request: BLIPMessage) throws {
        let collection = collection(of: request)
        guard let id = request.properties["id"], let revision = request.properties["rev"].flatMap({ RevisionID($0) }) else {
            throw PeerError("A revision has no ID")
        }
        let all = try JSONValue(request.body)
        guard all["_removed"]?.bool != true else {
            purge(id, collection)
            expectedRevisions -= 1
            if !request.noReply { try blip.send(reply: .reply(to: request.number)) }
            return
        }
        let document = PeerDocument(
            revision: revision, isDeleted: request.properties.bool("deleted"),
            body: .object((all.members ?? []).filter { !$0.key.hasPrefix("_") }))
        let stubs = (all["_attachments"]?.members ?? []).compactMap { member in
            member.value["digest"]?.string.map { (member.key, $0) }
        }
        try fetch(stubs[...], of: document, id: id, request, collection)
    }

    /// Fetches the attachments in sequence, and replies to the revision after the last one, as LiteCore does.
    private func fetch(
        _ stubs: ArraySlice<(String, String)>, of document: PeerDocument, id: String, _ request: BLIPMessage, _ collection: String
    ) throws {
        guard let (name, digest) = stubs.first else {
            documents[collection, default: [:]][ExactString(id)] = document
            fetched += 1
            expectedRevisions -= 1
            if !request.noReply { try blip.send(reply: .reply(to: request.number)) }
            return
        }
        var properties = self.properties(collection)
        properties.add("digest", digest)
        properties.add("docID", id)
        try ask(.request("getAttachment", properties: properties)) { [weak self] reply in
            guard let self else { return }
            var document = document
            document.attachments[ExactString(name)] = AttachmentDigest.sha1(of: reply.body)
            try fetch(stubs.dropFirst(), of: document, id: id, request, collection)
        }
    }

    private func giveAttachment(_ request: BLIPMessage) throws {
        guard let digest = request.properties["digest"], let bytes = attachments[digest] else {
            try blip.send(reply: .error(to: request.number, code: 404, message: "no such attachment"))
            return
        }
        try blip.send(reply: .reply(to: request.number, body: bytes))
    }
}
