import BLIP
import Documents
import ModernProtocol
import Server
import TestSupport

extension FuzzConversation {
    /// A 2.x+ client: valid frames with valid and wrong messages, which all have to be answered.
    mutating func playMessages() throws {
        // Administrators write only to databases of their own.
        let database = maker.random.pick(caller.port == .admin ? ["lab", "moving"] : caller.databases)
        let subprotocol = maker.random.pick(Subprotocol.allCases)
        let offered =
            maker.random.once(in: 15)
            ? maker.random.pick(["BLIP_3+CBMobile_9", "x", "", "BLIP_3+CBMobile_3,,BLIP_3"]) : subprotocol.rawValue
        guard var socket = try open("/\(database)/_blipsync", subprotocols: offered, in: database) else { return }
        let connection = BLIPConnection()
        let isNamed = subprotocol != .v2 && maker.random.once(in: 2)
        if isNamed {
            let names = #"{"checkpoint_ids":["cp1","cp2"],"collections":["_default","sales.orders"]}"#
            try send([.request("getCollections", body: Array(names.utf8))], connection, &socket)
        }
        while sent < FuzzSettings.ofConversation {
            let messages = (0..<maker.random.number(1...8)).map { _ in maker.message(isNamed: isNamed) }
            guard try send(messages, connection, &socket) else { return }
        }
    }

    /// Clients with faulty connections, one after the other.
    mutating func playWrongMessages() throws {
        while sent < FuzzSettings.ofConversation {
            let database = maker.random.pick(caller.port == .admin ? ["lab", "moving"] : caller.databases)
            let subprotocol = maker.random.pick(Subprotocol.allCases).rawValue
            guard var socket = try open("/\(database)/_blipsync", subprotocols: subprotocol, in: database) else { continue }
            for frame in maker.wrongConnection() {
                socket.socket.send(frame)
                sent += 1
            }
            if maker.random.once(in: 2) { socket.socket.closeOutput() }
            try drain(&socket)
        }
    }

    /// Sends requests, and waits for all their replies.
    ///
    /// - Returns: Whether the connection goes on.
    @discardableResult
    private mutating func send(_ messages: [BLIPMessage], _ connection: BLIPConnection, _ socket: inout FuzzWebSocket) throws -> Bool {
        var awaited: [UInt64: BLIPMessage] = [:]
        for message in messages {
            // A message that cannot be sent is too long.
            guard let number = try? connection.send(request: message) else { continue }
            sent += 1
            if !message.noReply { awaited[number] = message }
        }
        flush(connection, socket)
        while !awaited.isEmpty {
            let sentText = awaited.values.map {
                "\($0.profile ?? "") \($0.properties) \(String(decoding: $0.body.prefix(500), as: UTF8.self))"
            }
            .joined(separator: "\n")
            switch socket.next(milliseconds: FuzzSettings.timeout * 1_000) {
            case .frame(let frame) where frame.opcode == 2:
                let event: BLIPEvent?
                do {
                    event = try connection.receive(frame.payload)
                } catch {
                    throw FuzzFault("the bridge's frame is wrong: \(error)", sent: frame.payload)
                }
                try take(event, connection, &awaited)
                flush(connection, socket)
            case .frame(let frame) where frame.opcode == 9: socket.socket.send(RawWebSocket.frame(0x8a, frame.payload))
            case .frame(let frame):
                // A bridge closes with "going away" after a change of the database.
                guard let code = frame.closeCode else { continue }
                if [1001, 1013].contains(code) || isUnsteady { return false }
                throw FuzzFault("well-formed messages end the connection with \(code)", sent: Array(sentText.utf8))
            case .end:
                if isUnsteady { return false }
                throw FuzzFault("well-formed messages end the connection", sent: Array(sentText.utf8))
            case .silence: throw FuzzFault("no reply within \(FuzzSettings.timeout) s", sent: Array(sentText.utf8))
            case .broken(let why): throw FuzzFault("no well-formed frame: \(why)", sent: Array(sentText.utf8))
            }
        }
        return true
    }

    /// Whether other conversations may delete the caller's databases meanwhile.
    private var isUnsteady: Bool { caller.port == .admin }

    private func flush(_ connection: BLIPConnection, _ socket: FuzzWebSocket) {
        while let frame = connection.nextFrame() { socket.socket.send(RawWebSocket.frame(frame)) }
    }

    private mutating func take(_ event: BLIPEvent?, _ connection: BLIPConnection, _ awaited: inout [UInt64: BLIPMessage]) throws {
        switch event {
        case .reply(let reply):
            guard let request = awaited.removeValue(forKey: reply.number) else { return }
            let sentText = "\(request.profile ?? "") \(request.properties) \(String(decoding: request.body.prefix(2_000), as: UTF8.self))"
            let answered = "\(reply.type) \(reply.properties) \(String(decoding: reply.body.prefix(2_000), as: UTF8.self))"
            if let code = reply.errorCode { count(code) }
            // Sync Gateway's status for a second feed.
            let isNamed =
                reply.errorCode == 500
                && (request.profile == Profile.subChanges.rawValue || AnswerModel.isOfFunction(reply.body))
            let isKnown = reply.errorCode.map { [400, 403, 404, 409, 413, 422, 501, 503].contains($0) || isNamed } ?? true
            guard isKnown else { throw FuzzFault("the error \(reply.errorCode ?? 0)", sent: Array(sentText.utf8), answered: answered) }
            try look(reply, sent: sentText)
            maker.knowledge.learn(from: reply.body)
        case .request(let request):
            try look(request, sent: "")
            maker.knowledge.learn(from: request.body)
            if let id = request.properties["id"] { maker.knowledge.learn(.id, id) }
            if let revision = request.properties["rev"] { maker.knowledge.learn(.revision, revision) }
            if !request.noReply { _ = try? connection.send(reply: maker.reply(to: request)) }
        case .replyPart(let part): connection.acknowledge(part)
        case nil: break
        }
    }

    private func look(_ message: BLIPMessage, sent: String) throws {
        let text = String(decoding: message.body, as: UTF8.self)
        if let mark = caller.forbidden.first(where: { text.contains($0) }) {
            throw FuzzFault("\(caller.name) is shown `\(mark)`, which is not for him", sent: Array(sent.utf8), answered: text)
        }
    }

    /// Reads further data for moments: there may be a close frame, or messages of others.
    mutating func drain(_ socket: inout FuzzWebSocket) throws {
        for _ in 0..<100 {
            switch socket.next(milliseconds: 10) {
            case .frame(let frame):
                if frame.opcode == 8 { return }
                let text = String(decoding: frame.payload, as: UTF8.self)
                if let mark = caller.forbidden.first(where: { text.contains($0) }) {
                    throw FuzzFault("\(caller.name) is shown `\(mark)`, which is not for him", sent: [], answered: text)
                }
            case .end, .silence: return
            case .broken(let why): throw FuzzFault("no well-formed frame: \(why)", sent: [])
            }
        }
    }
}
