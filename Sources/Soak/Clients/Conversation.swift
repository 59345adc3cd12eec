import BLIP
import Coordination
import HTTP
import HTTPTypes

/// One connection of a 2.x+ client, for requests in both directions.
actor Conversation {
    private let socket: any WebSocketConnection
    private let blip = BLIPConnection()
    private var awaited: [UInt64: CheckedContinuation<BLIPMessage, any Error>] = [:]
    private var isSending = false
    private var isOver = false

    init(_ world: World, _ account: SoakAccount, _ dialect: Dialect) async throws {
        var options = WebSocketClient.Options()
        options.subprotocols = [dialect.subprotocol]
        if let credentials = account.credentials { options.headers[.authorization] = credentials.authorization }
        options.connectTimeout = .seconds(30)
        options.answerTimeout = .seconds(60)
        socket = try await WebSocketClient.connect(to: "\(world.webSocketURL)/_blipsync", options: options).connection
    }

    /// Sends a request and waits for its reply.
    ///
    /// - Throws: ``SoakError`` for an error reply, and if the connection ends before the reply.
    @discardableResult
    func ask(_ request: BLIPMessage) async throws -> BLIPMessage {
        guard !isOver else { throw SoakError("the connection has ended") }
        let number = try blip.send(request: request)
        let reply = try await withCheckedThrowingContinuation { continuation in
            awaited[number] = continuation
            Task { try await send() }
        }
        guard reply.type != .error else {
            throw SoakError("\(reply.errorDomain ?? "") \(reply.errorCode ?? 0) \(reply.errorMessage ?? "")")
        }
        return reply
    }

    func answer(_ reply: BLIPMessage) async throws {
        try blip.send(reply: reply)
        try await send()
    }

    /// Receives messages until the connection ends.
    ///
    /// - Parameters:
    ///   - pause: Delay after each receive, to simulate a slow client.
    ///   - handle: Called with each request of the server.
    func receive(pausing pause: Duration = .zero, _ handle: (BLIPMessage) async throws -> Void) async throws {
        defer { end() }
        while let messages = try await socket.receive() {
            for message in messages {
                switch try blip.receive(message.bytes) {
                case .reply(let reply): awaited.removeValue(forKey: reply.number)?.resume(returning: reply)
                case .request(let request): try await handle(request)
                case .replyPart, nil: break
                }
            }
            try await send()
            if pause > .zero { try await suspend(for: pause) }
        }
        throw SoakError("the connection was closed: \(socket.closure.map { "\($0)" } ?? "")")
    }

    /// Drops the connection without closing it, and fails all pending requests.
    func end() {
        isOver = true
        socket.drop()
        for continuation in awaited.values { continuation.resume(throwing: SoakError("the connection has ended")) }
        awaited = [:]
    }

    /// Sends all queued frames. Only one call sends at a time, because frames must stay in order.
    private func send() async throws {
        guard !isSending else { return }
        isSending = true
        defer { isSending = false }
        while let frame = blip.nextFrame() { try await socket.send(.binary(frame)) }
    }
}

/// The protocol of a 2.x+ client.
enum Dialect: String, CaseIterable {
    case second = "2.x"
    case third = "3.x"
    case fourth = "4.x"

    var subprotocol: String {
        switch self {
        case .second: "BLIP_3+CBMobile_2"
        case .third: "BLIP_3+CBMobile_3"
        case .fourth: "BLIP_3+CBMobile_4"
        }
    }
}
