import TestSupport
import Testing

@testable import BLIP

/// A host that sends random requests, replies to its peer's requests, and checks the replies that it gets.
///
/// A request's body selects its reply: 8 bytes of seed, then 8 of size. The reply's body is made from them.
struct RandomPeer {
    /// A reply whose body is being written.
    private struct Feed {
        var rest: ArraySlice<UInt8>
    }

    let connection: BLIPConnection

    /// The bodies of the requests sent and received, by number.
    private(set) var sentRequests: [UInt64: [UInt8]] = [:]
    private(set) var receivedRequests: [UInt64: [UInt8]] = [:]

    /// Counts all events, to detect the end of the exchange.
    private(set) var progress = 0

    private var requestsLeft: Int
    private var expected: [UInt64: [UInt8]] = [:]
    private var streamed: [UInt64: [UInt8]] = [:]
    private var unconsumed: [BLIPReplyPart] = []
    private var toAnswer: [BLIPMessage] = []
    private var feeds: [UInt64: Feed] = [:]

    init(_ connection: BLIPConnection, requests: Int) {
        self.connection = connection
        requestsLeft = requests
    }

    /// Does a random step, or nothing.
    mutating func act(_ random: inout SeededGenerator) {
        if requestsLeft > 0, Bool.random(using: &random) {
            sendRequest(&random)
        }
        if !toAnswer.isEmpty, Bool.random(using: &random) {
            answer(toAnswer.remove(at: Int.random(in: 0..<toAnswer.count, using: &random)), &random)
        }
        for number in connection.repliesNeedingData {
            feed(number, &random)
        }
        while !unconsumed.isEmpty, Int.random(in: 0..<3, using: &random) > 0 {
            connection.acknowledge(unconsumed.removeFirst())
            progress += 1
        }
    }

    /// Receives a frame and handles its event.
    mutating func receive(_ frame: [UInt8]) throws {
        progress += 1
        switch try connection.receive(frame) {
        case .request(let request):
            #expect(request.profile == "ask")
            #expect(receivedRequests.updateValue(request.body, forKey: request.number) == nil)
            if !request.noReply {
                toAnswer.append(request)
            }
        case .reply(let reply):
            #expect(expected.removeValue(forKey: reply.number) == reply.body)
        case .replyPart(let part):
            streamed[part.number, default: []] += part.bytes
            unconsumed.append(part)
            if part.isLast {
                #expect(expected.removeValue(forKey: part.number) == streamed.removeValue(forKey: part.number))
            }
        case nil:
            break
        }
    }

    /// Checks that nothing is left over.
    func expectDone() {
        #expect(requestsLeft == 0)
        #expect(expected.isEmpty)
        #expect(streamed.isEmpty)
        #expect(connection.queuedBytes == 0)
        #expect(connection.bufferedBytes == 0)
        #expect(connection.awaitedReplies == 0)
        #expect(connection.unansweredRequests == 0)
        #expect(connection.failure == nil)
    }

    private mutating func sendRequest(_ random: inout SeededGenerator) {
        let seed = random.next()
        let replySize = Self.size(&random)
        var body: [UInt8] = []
        withUnsafeBytes(of: seed) { body.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt64(replySize)) { body.append(contentsOf: $0) }
        body += random.bytes(Self.size(&random), compressible: Bool.random(using: &random))
        let request = BLIPMessage.request(
            "ask", properties: ["padding": String(repeating: "p", count: Int.random(in: 0...200, using: &random))], body: body,
            isUrgent: Int.random(in: 0..<4, using: &random) == 0, noReply: Int.random(in: 0..<4, using: &random) == 0,
            isCompressed: Bool.random(using: &random))
        guard let number = try? connection.send(request: request, streamsReply: Bool.random(using: &random)) else { return }
        requestsLeft -= 1
        progress += 1
        sentRequests[number] = body
        if !request.noReply {
            expected[number] = Self.replyBody(body)
        }
    }

    private mutating func answer(_ request: BLIPMessage, _ random: inout SeededGenerator) {
        progress += 1
        let body = Self.replyBody(request.body)
        let isCompressed = Bool.random(using: &random)
        if Bool.random(using: &random) {
            #expect((try? connection.send(reply: .reply(to: request.number, body: body, isCompressed: isCompressed))) == true)
        } else {
            #expect((try? connection.begin(reply: .reply(to: request.number, isCompressed: isCompressed))) == true)
            feeds[request.number] = Feed(rest: body[...])
        }
    }

    private mutating func feed(_ number: UInt64, _ random: inout SeededGenerator) {
        guard let rest = feeds[number]?.rest else { return }
        progress += 1
        let piece = rest.prefix(Int.random(in: 0...40_000, using: &random))
        connection.append(Array(piece), toReply: number)
        feeds[number]?.rest = rest.dropFirst(piece.count)
        if piece.count == rest.count {
            connection.finishReply(number)
            feeds[number] = nil
        }
    }

    private static func replyBody(_ request: [UInt8]) -> [UInt8] {
        let (seed, size) = request.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        var random = SeededGenerator(seed: seed)
        return random.bytes(Int(size), compressible: seed % 2 == 0)
    }

    /// A small size mostly, several frames sometimes, and more than the flow control's window rarely.
    private static func size(_ random: inout SeededGenerator) -> Int {
        switch Int.random(in: 0..<40, using: &random) {
        case 0: Int.random(in: 0...300_000, using: &random)
        case 1...6: Int.random(in: 0...40_000, using: &random)
        case 7...9: 0
        default: Int.random(in: 0...600, using: &random)
        }
    }
}
