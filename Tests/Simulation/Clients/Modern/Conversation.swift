import BLIP
import Documents

/// One connection of a 2.x+ client, with one message at a time, so that the order of events is deterministic.
final class Conversation {
    let line: Line
    private let socket: Pipe
    private let blip = BLIPConnection()

    /// Received requests that are not handled yet.
    private var events: [BLIPEvent] = []

    /// The handler of the reply to the last received request.
    private var fate = Line.Fate.delivered

    /// The collection of the running pull, by its property. LiteCore keeps the pull's state until the pull has ended, and crashes on later messages.
    private var pulled: String?

    /// The attachments that the server may request.
    var blobs: [String: [UInt8]] = [:]

    init(over socket: Pipe, _ line: Line) {
        self.socket = socket
        self.line = line
    }

    /// A request that waits for its reply.
    struct Asked {
        let number: UInt64
        let fate: Line.Fate
    }

    /// Sends a request and waits for its reply; serves the server's requests for attachments meanwhile.
    func ask(_ request: BLIPMessage) async throws -> BLIPMessage {
        try await answer(to: try await send(request))
    }

    func send(_ request: BLIPMessage) async throws -> Asked {
        let fate = try await line.nextOfSocket()
        if fate == .lost { throw Disconnected() }
        WireLog.record("->", request)
        let number = try blip.send(request: request)
        try await flush()
        return Asked(number: number, fate: fate)
    }

    func answer(to asked: Asked) async throws -> BLIPMessage {
        let fate = asked.fate
        while true {
            let index = events.firstIndex { event in
                if case .reply(let reply) = event { reply.number == asked.number } else { false }
            }
            if let index, case .reply(let reply) = events.remove(at: index) {
                guard fate == .delivered, !line.isDown else { throw Disconnected() }
                // The client waits, and connects again.
                if line.isCutOff, reply.type == .error, reply.errorCode == 503 { throw Disconnected() }
                WireLog.record("<-", reply)
                return reply
            }
            try await answerQuestions()
            try await receive()
        }
    }

    /// Records the start of a collection's pull.
    func beginPull(_ collection: String?) { pulled = collection ?? "" }

    /// Records the end of a pull: later messages for it are an error.
    func endPull() throws {
        pulled = nil
        for case .request(let request) in events { try check(request) }
    }

    private func check(_ request: BLIPMessage) throws {
        guard let profile = request.profile, ["changes", "rev", "norev"].contains(profile) else { return }
        guard request.properties["collection"] ?? "" != pulled else { return }
        throw UnexpectedMessage(
            "\(profile) of \(request.properties["id"] ?? "some") in a collection that is not being pulled: LiteCore dies")
    }

    /// The server's next request, except requests for attachments.
    func nextRequest() async throws -> BLIPMessage {
        while true {
            let index = events.firstIndex { if case .request = $0 { true } else { false } }
            if let index, case .request(let request) = events.remove(at: index) {
                fate = try await line.nextOfSocket()
                if fate == .lost { throw Disconnected() }
                WireLog.record("<-", request)
                return request
            }
            try await receive()
        }
    }

    /// Replies to the last received request.
    func reply(_ reply: BLIPMessage) async throws {
        guard fate == .delivered else { throw Disconnected() }
        WireLog.record("->", reply)
        try blip.send(reply: reply)
        try await flush()
    }

    private func receive() async throws {
        guard let frames = try await socket.receive() else { throw Disconnected() }
        for frame in frames {
            guard let event = try blip.receive(frame) else { continue }
            if case .request(let request) = event { try check(request) }
            events.append(event)
        }
        try await flush()
    }

    private func flush() async throws {
        var frames: [[UInt8]] = []
        while let frame = blip.nextFrame() { frames.append(frame) }
        if !frames.isEmpty { try await socket.send(frames) }
    }

    private func answerQuestions() async throws {
        while let index = events.firstIndex(where: { $0.isQuestion }), case .request(let request) = events.remove(at: index) {
            fate = try await line.nextOfSocket()
            if fate == .lost { throw Disconnected() }
            try await reply(answer(to: request))
        }
    }

    private func answer(to request: BLIPMessage) -> BLIPMessage {
        guard let digest = request.properties["digest"], let bytes = blobs[digest] else {
            return .error(to: request.number, code: 404, message: "no such blob")
        }
        guard request.profile == "proveAttachment" else { return .reply(to: request.number, body: bytes) }
        let proof = AttachmentDigest.sha1(of: [UInt8(request.body.count)] + request.body + bytes)
        return .reply(to: request.number, body: Array(proof.description.utf8))
    }
}

extension BLIPEvent {
    /// Whether the request is for an attachment of this client.
    fileprivate var isQuestion: Bool {
        guard case .request(let request) = self else { return false }
        return request.profile == "getAttachment" || request.profile == "proveAttachment"
    }
}
