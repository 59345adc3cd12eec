import TestSupport
import Testing

@testable import BLIP

@Suite("Scheduling of messages")
struct SchedulingTests {
    private let long = [UInt8](repeating: 1, count: 60_000)

    @Test("Normal messages alternate")
    func roundRobin() throws {
        let connection = BLIPConnection()
        for _ in 0..<3 {
            _ = try connection.send(request: .request("put", body: long))
        }
        #expect(order(connection) == [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3])
    }

    @Test("A new urgent message does not pass new ones: numbers are sent in order")
    func newUrgent() throws {
        let connection = BLIPConnection()
        for _ in 0..<3 {
            _ = try connection.send(request: .request("put", body: long))
        }
        _ = try connection.send(request: .request("urgent", isUrgent: true))
        #expect(Array(order(connection).prefix(5)) == [1, 2, 3, 4, 1])
    }

    @Test("An urgent message gets every other turn, and frames before it are short")
    func urgentInterleaves() throws {
        let connection = BLIPConnection()
        for _ in 0..<3 {
            _ = try connection.send(request: .request("put", body: long))
        }
        for _ in 0..<3 {
            _ = connection.nextFrame()
        }
        let urgent = try connection.send(request: .request("urgent", body: long, isUrgent: true))
        var previous: [UInt8]?
        var numbers: [UInt64] = []
        while let frame = connection.nextFrame() {
            if frame[0] == UInt8(urgent), let previous, previous[0] != UInt8(urgent) {
                #expect(previous.count <= FrameSize.whileUrgentWaits)
            }
            numbers.append(UInt64(frame[0]))
            previous = frame
        }
        #expect(Array(numbers.prefix(8)) == [1, 4, 2, 4, 3, 4, 1, 4])
        #expect(Set(numbers.drop { $0 != 4 }.suffix(4)) == [1, 2, 3])
    }

    @Test("Urgent messages alternate, with one normal message between")
    func twoUrgent() throws {
        let connection = BLIPConnection()
        _ = try connection.send(request: .request("put", body: long))
        _ = connection.nextFrame()
        _ = try connection.send(request: .request("urgent", body: long, isUrgent: true))
        _ = try connection.send(request: .request("urgent", body: long, isUrgent: true))
        let numbers = order(connection)
        #expect(numbers.filter { $0 == 2 }.count == 4)
        #expect(numbers.filter { $0 == 3 }.count == 4)
        #expect(numbers.first == 1)
        #expect(Array(numbers.dropFirst().prefix(2)) == [2, 3])
    }

    @Test("Requests up to a number are sent when the last frame of the longest one is")
    func sentRequests() throws {
        let connection = BLIPConnection()
        #expect(connection.lastRequest == 0 && connection.hasSentRequests(through: 0))
        _ = try connection.send(request: .request("put", body: long))
        let short = try connection.send(request: .request("put"))
        _ = try connection.send(request: .request("put", body: long))
        #expect(connection.lastRequest == 3)
        var sent: [Bool] = []
        while let frame = connection.nextFrame() {
            sent.append(connection.hasSentRequests(through: short))
            if sent.count == 2 { #expect(frame[0] == UInt8(short)) }
        }
        // 1, 2, 3, 1, 3, 1, 3, 1, 3: the first request is complete with the eighth frame.
        #expect(sent == [Bool](repeating: false, count: 7) + [true, true])
    }

    @Test("Acknowledgements are sent first")
    func acknowledgementsFirst() throws {
        let connection = BLIPConnection()
        _ = try connection.send(request: .request("put", isUrgent: true))
        var frames = FrameBuilder()
        _ = try connection.receive(frames.frame(1, 0x40, FrameBuilder.message([:], [UInt8](repeating: 0, count: 50_000))))
        #expect(connection.nextFrame()?[1] == 0x34)
        #expect(connection.nextFrame()?[1] == 0x10)
    }

    @Test("A reply is as urgent as its request")
    func replyUrgency() throws {
        let pair = Pair()
        for isUrgent in [true, false] {
            let number = try pair.ask(isUrgent: isUrgent)
            #expect(try pair.server.send(reply: .reply(to: number)))
            let reply = try pair.client.receive(#require(pair.server.nextFrame()))?.message
            #expect(reply?.isUrgent == isUrgent)
        }
    }

    @Test("A reply is refused to a request that is incomplete, wants none, has one or does not exist")
    func noReply() throws {
        let pair = Pair()
        let long = try pair.client.send(request: .request("put", body: long))
        _ = try pair.server.receive(#require(pair.client.nextFrame()))
        #expect(try !pair.server.send(reply: .reply(to: long)))
        #expect(try pair.exchange().server.count == 1)
        #expect(pair.server.unansweredRequests == 1)
        #expect(try pair.server.send(reply: .reply(to: long)))
        #expect(pair.server.unansweredRequests == 0)
        #expect(try !pair.server.send(reply: .error(to: long, code: 500, message: "again")))
        let silent = try pair.client.send(request: .request("put", noReply: true))
        _ = try pair.exchange()
        #expect(try !pair.server.send(reply: .reply(to: silent)))
        #expect(try !pair.server.send(reply: .reply(to: 99)))
        #expect(pair.server.nextFrame() == nil)
        #expect(pair.client.awaitedReplies == 0)
    }

    @Test("No frame has more than 16,384 bytes, even with incompressible bytes, so that Sync Gateway reads it")
    func frameSize() throws {
        let connection = BLIPConnection(compression: BLIPCompression(windowBits: 12))
        var random = SeededGenerator(seed: 4)
        _ = try connection.send(
            request: .request("put", body: random.bytes(100_000, compressible: false), isCompressed: true))
        while let frame = connection.nextFrame() {
            #expect(frame.count <= FrameSize.normal)
        }
    }

    private func order(_ connection: BLIPConnection) -> [UInt64] {
        var numbers: [UInt64] = []
        while let frame = connection.nextFrame() {
            numbers.append(UInt64(frame[0]))
        }
        return numbers
    }
}
