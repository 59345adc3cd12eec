import BLIP
import ModernClient
import ModernProtocol
import ModernTestSupport

/// A server with scripted replies.
actor ScriptedServer {
    typealias Answer = @Sendable (BLIPMessage) -> [BLIPMessage]

    private let socket: SocketEnd
    private let connection = BLIPConnection()
    private let answer: Answer
    private var framesAtOnce: Int

    /// The client's requests and replies, in order.
    private(set) var received: [BLIPMessage] = []

    /// - Parameters:
    ///   - framesAtOnce: The number of frames that are sent after each of the client's requests; the others wait for a reply of the client.
    ///   - answer: The replies and requests that the server sends for each message of the client.
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
                        received.append(message)
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
            // The client has disconnected.
        }
    }

    private func send(_ message: BLIPMessage) throws {
        if message.type == .request { _ = try connection.send(request: message) } else { try connection.send(reply: message) }
    }
}
