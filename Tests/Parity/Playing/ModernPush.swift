import BLIP
import Documents
import HTTP

/// A push of a 2.x+ client: each revision is proposed, sent on request, and confirmed before the next.
final class ModernPush {
    struct Revision {
        let id: String
        let revision: String

        /// The ancestors, the newest first.
        let history: [String]
        let isDeleted: Bool
        let body: JSONValue

        /// The bytes of a new attachment.
        let file: [UInt8]?
    }

    private let blip = BLIPConnection()
    private let socket: any WebSocketConnection
    private let keyspace: String

    init(over socket: any WebSocketConnection, keyspace: String) {
        self.socket = socket
        self.keyspace = keyspace
    }

    /// Names the collection.
    ///
    /// - Returns: `false` if the client does not have a collection of this name at the server.
    func begin() async throws -> Bool {
        guard !keyspace.isEmpty else { return true }
        let body = #"{"checkpoint_ids":["cp-push"],"collections":["\#(keyspace)"]}"#
        let reply = try await ask(.request("getCollections", body: Array(body.utf8)))
        return reply.map { $0.type == .reply && (try? JSONValue($0.body).array?.first) != .null } ?? false
    }

    /// - Returns: 201, or the status of the refusal; 0 if the connection ended before the reply.
    func send(_ revision: Revision) async throws -> Int {
        let proposal: [JSONValue] =
            [.string(revision.id), .string(revision.revision)] + (revision.history.first.map { [.string($0)] } ?? [])
        var body: [UInt8] = []
        JSONValue.array([.array(proposal)]).append(to: &body)
        guard let reply = try await ask(.request("proposeChanges", properties: properties(), body: body)) else { return 0 }
        guard reply.type == .reply else { return reply.errorCode ?? 0 }
        if let status = try JSONValue(reply.body).array?.first, let code = status.int ?? status["status"]?.int, code != 0 { return code }
        var properties = properties()
        properties.add("id", revision.id)
        properties.add("rev", revision.revision)
        if !revision.history.isEmpty { properties.add("history", revision.history.joined(separator: ",")) }
        if revision.isDeleted { properties.add("deleted", "1") }
        properties.add("noconflicts", "1")
        body = []
        revision.body.append(to: &body)
        guard let answer = try await ask(.request("rev", properties: properties, body: body), file: revision.file) else { return 0 }
        return answer.type == .reply ? 201 : answer.errorCode ?? 0
    }

    private func properties() -> BLIPProperties {
        var properties = BLIPProperties()
        if !keyspace.isEmpty { properties.add("collection", "0") }
        return properties
    }

    /// Sends a request and waits for its reply. Meanwhile the server may request the attachment.
    private func ask(_ request: BLIPMessage, file: [UInt8]? = nil) async throws -> BLIPMessage? {
        let number = try blip.send(request: request)
        try await flush()
        while let messages = try await socket.receive() {
            var reply: BLIPMessage?
            for message in messages {
                switch try blip.receive(message.bytes) {
                case .request(let asked): try answer(asked, file)
                case .reply(let found) where found.number == number: reply = found
                case .reply, .replyPart, nil: break
                }
            }
            try await flush()
            if let reply { return reply }
        }
        return nil
    }

    private func answer(_ request: BLIPMessage, _ file: [UInt8]?) throws {
        if request.profile == "getAttachment", let file {
            try blip.send(reply: .reply(to: request.number, body: file))
        } else if !request.noReply {
            try blip.send(reply: .error(to: request.number, domain: "BLIP", code: 404, message: "no handler"))
        }
    }

    private func flush() async throws { try await blip.flush(to: socket) }
}

extension BLIPConnection {
    /// Sends pending frames. The next receive reports the end of the connection.
    func flush(to socket: any WebSocketConnection) async throws {
        var frames: [WebSocketMessage] = []
        while let frame = nextFrame() { frames.append(.binary(frame)) }
        guard !frames.isEmpty else { return }
        do { try await socket.send(frames) } catch let error as WebSocketError where error.code == .closed {}
    }
}
