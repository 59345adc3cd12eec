import BLIP
import ModernProtocol
import ModernServer
import ModernTestSupport
import TestSupport
import Testing

/// A client with damaged requests and replies.
actor FuzzClient {
    private let socket: SocketEnd
    private let connection = BLIPConnection()
    private var answers: FuzzInputs
    private var unanswered: [UInt64: BLIPMessage] = [:]
    private var waiting: CheckedContinuation<Void, Never>?
    private(set) var isOver = false

    init(_ socket: SocketEnd, seed: UInt64) {
        self.socket = socket
        answers = FuzzInputs(FuzzSamples.answers, tokens: FuzzSamples.tokens, count: .max, seed: seed)
    }

    /// Reads until the connection ends.
    func run() async {
        while let frames = try? await socket.receive() {
            for frame in frames {
                do {
                    if let event = try connection.receive(frame) { handle(event) }
                } catch {
                    Issue.record(error, "The listener broke the protocol")
                    await socket.drop()
                }
            }
            await flush()
            resume()
        }
        isOver = true
        resume()
    }

    /// Sends requests together, and waits until all have replies or the connection has ended.
    func ask(_ requests: [BLIPMessage]) async {
        for request in requests {
            guard let number = try? connection.send(request: request) else { continue }
            unanswered[number] = request
        }
        await flush()
        while !unanswered.isEmpty, !isOver { await withCheckedContinuation { waiting = $0 } }
    }

    private func resume() {
        waiting?.resume()
        waiting = nil
    }

    private func flush() async {
        var frames: [[UInt8]] = []
        while let frame = connection.nextFrame() { frames.append(frame) }
        if !frames.isEmpty { try? await socket.send(frames) }
    }

    private func handle(_ event: BLIPEvent) {
        switch event {
        case .reply(let reply):
            let request = unanswered.removeValue(forKey: reply.number)
            guard reply.type == .error else { return }
            // A damaged request is the client's fault: the reply must not make it retry, as after a server's failure.
            // A second feed is refused with Sync Gateway's 500, because 400 would stop the client for good.
            let isSecondFeed =
                request?.profile == "subChanges" && reply.errorMessage?.hasSuffix("this collection already has a feed") == true
            let isFault = [500, 503].contains(reply.errorCode ?? 0) && !isSecondFeed || reply.errorDomain == nil
            if isFault { Issue.record("\(request.map { "\($0)" } ?? "") was answered \(reply.errorMessage ?? "")") }
        case .replyPart(let part): connection.acknowledge(part)
        case .request(let request):
            let number = request.number
            guard !request.noReply else { return }
            let reply: BLIPMessage =
                switch (request.profile, answers.choice(0..<4)) {
                case (_, 0): .error(to: number, domain: "HTTP", code: [404, 409, 422, 503][answers.choice(0..<4)], message: "no")
                case ("changes", _): answers.next().map { FuzzSamples.reply($0, to: number) } ?? .reply(to: number)
                case ("getAttachment", 1...2): .reply(to: number, body: FuzzSamples.blob)
                default: .reply(to: number, body: Array("nonsense".utf8))
                }
            _ = try? connection.send(reply: reply)
        }
    }
}
