import BLIP
import Documents

/// A 2.x+ client that sends the messages of a test.
final class RawBLIP {
    let socket: RawWebSocket
    private let connection = BLIPConnection()
    private var requests: [BLIPMessage] = []

    /// Opens a connection.
    init(
        _ bridge: RunningBridge, _ subprotocol: String = "BLIP_3+CBMobile_3", headers: String = "", port: Int? = nil
    ) async throws {
        socket = try await .open(bridge, subprotocol, headers: headers, port: port)
    }

    init(port: Int, _ subprotocol: String) async throws {
        socket = try await .open(port: port, subprotocol)
    }

    /// Sends a request, and waits for the reply or error reply.
    func ask(
        _ profile: String, _ properties: BLIPProperties = [:], _ body: String = "", isCompressed: Bool = false
    ) async throws -> BLIPMessage {
        try await ask(.request(profile, properties: properties, body: Array(body.utf8), isCompressed: isCompressed))
    }

    func ask(_ request: BLIPMessage) async throws -> BLIPMessage {
        try await reply(to: try await begin(request))
    }

    /// Sends a request and returns its number.
    func begin(_ request: BLIPMessage) async throws -> UInt64 {
        let number = try connection.send(request: request)
        try await flush()
        return number
    }

    /// Waits for the reply or error reply to a started request.
    func reply(to number: UInt64) async throws -> BLIPMessage {
        while true {
            if let reply = try await receive(), reply.number == number { return reply }
        }
    }

    /// The next request of the bridge.
    func request() async throws -> BLIPMessage {
        while requests.isEmpty { _ = try await receive() }
        return requests.removeFirst()
    }

    func reply(_ message: BLIPMessage) async throws {
        try connection.send(reply: message)
        try await flush()
    }

    /// The frames of a request that is not sent.
    static func frames(of request: BLIPMessage) throws -> [[UInt8]] {
        let connection = BLIPConnection()
        _ = try connection.send(request: request)
        var frames: [[UInt8]] = []
        while let frame = connection.nextFrame() { frames.append(frame) }
        return frames
    }

    private func flush() async throws {
        while let frame = connection.nextFrame() { try await socket.send(frame) }
    }

    /// Handles the next message, and returns it if it is a reply.
    private func receive() async throws -> BLIPMessage? {
        guard let frame = try await socket.next(), frame.opcode == 2 else {
            throw RawSocket.Failure(message: "the server closed the WebSocket")
        }
        let event = try connection.receive(frame.payload)
        try await flush()
        switch event {
        case .reply(let reply): return reply
        case .request(let request): requests.append(request)
        case .replyPart, nil: break
        }
        return nil
    }
}

extension RawBLIP {
    /// Pulls everything, as a client without collections or of one collection, and returns the `rev` messages by document.
    func pull(_ collection: String? = nil, since: String = "0") async throws -> [String: BLIPMessage] {
        var properties: BLIPProperties = ["since": since]
        if let collection {
            _ = try await ask("getCollections", [:], #"{"checkpoint_ids":["cp"],"collections":["\#(collection)"]}"#)
            properties.add("collection", "0")
        }
        _ = try await ask("subChanges", properties)
        var revisions: [String: BLIPMessage] = [:]
        var (expected, isCaughtUp) = (0, false)
        while expected > 0 || !isCaughtUp {
            let request = try await self.request()
            switch request.profile {
            case "changes":
                let rows = try JSONValue(request.body).array ?? []
                expected += rows.count
                isCaughtUp = rows.isEmpty
                if !rows.isEmpty {
                    // Every revision is requested, with its whole history.
                    let answer = "[" + rows.map { _ in "[]" }.joined(separator: ",") + "]"
                    try await reply(.reply(to: request.number, properties: ["maxHistory": "100"], body: Array(answer.utf8)))
                }
            case "rev":
                expected -= 1
                if let id = request.properties["id"] { revisions[id] = request }
                if !request.noReply { try await reply(.reply(to: request.number)) }
            default:
                expected -= 1
            }
        }
        return revisions
    }
}
