import BLIP
import ModernClient
import ModernProtocol
import ModernServer

/// A server that answers as it is told.
actor ScriptedServer {
    typealias Answer = @Sendable (BLIPMessage) -> [BLIPMessage]

    private let socket: SocketEnd
    private let connection = BLIPConnection()
    private let answer: Answer
    private var framesAtOnce: Int

    /// The client's requests and replies, in their order.
    private(set) var heard: [BLIPMessage] = []

    /// - Parameters:
    ///   - framesAtOnce: How many frames go out after each of the client's requests; the others wait until it has answered something.
    ///   - answer: For each message of the client's what to send: replies, and requests of the server's own.
    init(_ socket: SocketEnd, framesAtOnce: Int = .max, answer: @escaping Answer) {
        self.socket = socket
        self.framesAtOnce = framesAtOnce
        self.answer = answer
    }

    func run() async {
        do {
            while let frames = try await socket.receive() {
                for frame in frames {
                    switch try connection.receive(frame) {
                    case .request(let message), .reply(let message):
                        heard.append(message)
                        if message.type != .request { framesAtOnce = .max }
                        for answer in answer(message) { try send(answer) }
                    case .replyPart, nil: break
                    }
                }
                var frames: [[UInt8]] = []
                while frames.count < framesAtOnce, let frame = connection.nextFrame() { frames.append(frame) }
                if !frames.isEmpty { try await socket.send(frames) }
            }
        } catch {
            // The client has gone.
        }
    }

    private func send(_ message: BLIPMessage) throws {
        if message.type == .request { _ = try connection.send(request: message) } else { try connection.send(reply: message) }
    }
}
