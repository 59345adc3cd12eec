import Testing

@testable import BLIP

/// Errors that a peer can make, and unusual messages that are no errors.
@Suite("Errors of the peer")
struct ReceiveErrorTests {
    private let empty = FrameBuilder.message()
    private var frames = FrameBuilder()

    @Test("Truncated frames are refused", arguments: ["", "01", "81", "01 80", "01 00", "01 00 00 10 47", "03 34", "03 34 80"])
    func cutShort(hex: String) {
        expect(.badFrame, [[UInt8](hex: hex)])
    }

    @Test("A number of more than 64 bits is refused")
    func hugeNumber() {
        expect(.badFrame, [[UInt8](hex: "ff ff ff ff ff ff ff ff ff ff 01 00")])
    }

    @Test("A wrong checksum, and one that does not continue the stream, are refused")
    mutating func checksum() {
        var frame = frames.frame(1, 0x00, empty)
        let last = frame.count - 1
        frame[last] ^= 1
        expect(.badChecksum, [frame])
        var one = FrameBuilder()
        var other = FrameBuilder()
        expect(.badChecksum, [one.frame(1, 0x00, empty), other.frame(2, 0x00, empty)])
    }

    @Test("Request numbers that are not the next one are refused", arguments: [0, 2, UInt64.max])
    mutating func requestNumber(number: UInt64) {
        expect(.badMessageNumber, [frames.frame(number, 0x00, empty)])
    }

    @Test("A repeated request number is refused")
    mutating func requestNumberAgain() {
        expect(.badMessageNumber, [frames.frame(1, 0x00, empty), frames.frame(1, 0x00, empty)])
    }

    @Test("A reply without a request is refused", arguments: [0x01, 0x02, 0x41] as [UInt8])
    mutating func replyToNothing(flags: UInt8) {
        expect(.replyToNothing, [frames.frame(1, flags, empty)])
    }

    @Test("A second reply, an unwanted one, and a reply to a request that was not sent are refused")
    func replyTooMany() throws {
        let connection = BLIPConnection()
        _ = try connection.send(request: .request("a"))
        _ = connection.nextFrame()
        var frames = FrameBuilder()
        _ = try connection.receive(frames.frame(1, 0x01, empty))
        expect(.replyToNothing, [frames.frame(1, 0x01, empty)], connection)

        let noReply = BLIPConnection()
        _ = try noReply.send(request: .request("a", noReply: true))
        _ = noReply.nextFrame()
        var others = FrameBuilder()
        expect(.replyToNothing, [others.frame(1, 0x01, empty)], noReply)

        let unsent = BLIPConnection()
        _ = try unsent.send(request: .request("a", body: [UInt8](repeating: 0, count: 20_000)))
        _ = unsent.nextFrame()
        var more = FrameBuilder()
        expect(.replyToNothing, [more.frame(1, 0x01, empty)], unsent)
    }

    @Test("A reply that becomes an error reply in the middle is refused")
    mutating func replyChangesType() throws {
        let connection = BLIPConnection()
        connection.inbound.awaitReply(to: 1, isStreamed: false)
        expect(.badFrame, [frames.frame(1, 0x41, empty), frames.frame(1, 0x02, [1])], connection)
    }

    @Test("Properties that are too long, malformed or truncated are refused")
    func properties() {
        for (code, payload) in [
            (.propertiesTooLong, [UInt8](hex: "81 a0 06")), (.propertiesTooLong, [UInt8](hex: "ff ff ff ff 7f")),
            (.badFrame, [UInt8](hex: "ff ff ff ff ff 01")), (.malformedProperties, [UInt8](hex: "02 61 62")),
            (.malformedProperties, [UInt8](hex: "02 61 00")), (.malformedProperties, [UInt8](hex: "05 61 00")),
            (.malformedProperties, []), (.malformedProperties, [UInt8](hex: "80")),
        ] as [(BLIPError.Code, [UInt8])] {
            var frames = FrameBuilder()
            expect(code, [frames.frame(1, 0x00, payload)])
        }
    }

    @Test("A frame that is too large is refused")
    mutating func frameTooLarge() {
        let frame = frames.frame(1, 0x00, empty + [UInt8](repeating: 0, count: 1 << 20))
        let error = expect(.frameTooLarge, [frame])
        #expect(error?.closeCode == 1009)
    }

    @Test("A message that is too large is refused, in one frame, in many, and compressed")
    func messageTooLarge() throws {
        var limits = BLIPLimits()
        limits.maxBodySize = 1_000
        for (size, isCompressed, code) in [
            (1_001, false, BLIPError.Code.messageTooLarge), (200_000, false, .messageTooLarge), (200_000, true, .messageTooLarge),
        ] {
            let sender = BLIPConnection()
            _ = try sender.send(
                request: .request("a", body: [UInt8](repeating: 7, count: size), isCompressed: isCompressed))
            var frames: [[UInt8]] = []
            while let frame = sender.nextFrame() {
                frames.append(frame)
            }
            expect(code, frames, BLIPConnection(limits: limits))
        }
        let exact = BLIPConnection()
        _ = try exact.send(request: .request("a", body: [UInt8](repeating: 7, count: 1_000)))
        #expect(try BLIPConnection(limits: limits).receive(#require(exact.nextFrame())) != nil)
    }

    @Test("Too many open messages are refused, requests and replies together")
    mutating func openMessages() throws {
        var limits = BLIPLimits()
        limits.maxOpenMessages = 3
        let connection = BLIPConnection(limits: limits)
        connection.inbound.awaitReply(to: 1, isStreamed: false)
        connection.inbound.awaitReply(to: 2, isStreamed: false)
        for frame in [frames.frame(1, 0x41, empty), frames.frame(1, 0x40, empty), frames.frame(2, 0x40, empty)] {
            _ = try connection.receive(frame)
        }
        _ = try connection.receive(frames.frame(1, 0x01, [1]))
        _ = try connection.receive(frames.frame(3, 0x40, empty))
        expect(.tooManyOpenMessages, [frames.frame(2, 0x41, empty)], connection)
    }

    @Test("Too many bytes in unfinished messages are refused; finished ones do not count")
    mutating func bufferedBytes() throws {
        var limits = BLIPLimits()
        limits.maxBufferedBytes = 10_000
        let connection = BLIPConnection(limits: limits)
        let body = [UInt8](repeating: 0, count: 4_000)
        for number: UInt64 in 1...10 {
            _ = try connection.receive(frames.frame(number, 0x40, empty + body))
            #expect(connection.bufferedBytes == 4_000)
            #expect(try connection.receive(frames.frame(number, 0x00, body)) != nil)
            #expect(connection.bufferedBytes == 0)
        }
        let unfinished: [[UInt8]] = (11...13).map { frames.frame($0, 0x40, empty + body) }
        expect(.tooManyBufferedBytes, unfinished, connection)
    }

    @Test("Invalid deflate data, an ended stream and bytes after its end are refused")
    func badDeflate() {
        for wire in ["ff ff ff", "03 00", "03 00 01 02 03", "05"] {
            var frames = FrameBuilder()
            expect(.decompressionFailed, [frames.frame(1, 0x08, wire: [UInt8](hex: wire), plain: empty)])
        }
    }

    @Test("Unknown flags and message types are ignored")
    mutating func unknown() throws {
        let connection = BLIPConnection()
        for kind: UInt8 in [3, 6, 7] {
            #expect(try connection.receive([9, kind, 1, 2, 3]) == nil)
            #expect(try connection.receive([9, kind]) == nil)
        }
        #expect(try connection.receive([UInt8](hex: "09 34 80 80 04")) == nil)
        #expect(try connection.receive([UInt8](hex: "09 35 ff ff ff ff ff ff ff ff ff 01")) == nil)
        // Unknown high flag bits: 0x80 in the byte, which makes the varint two bytes long, and one above.
        let content = frames.frame(1, 0x00, empty).dropFirst(2)
        let message = try connection.receive([1, 0x80, 0x03] + content)?.message
        #expect(message?.number == 1)
    }

    @Test("An error is final")
    func final() throws {
        let connection = BLIPConnection()
        _ = try connection.send(request: .request("a"))
        let error = expect(.badFrame, [[]], connection)
        #expect(connection.failure == error)
        #expect(connection.nextFrame() == nil)
        var frames = FrameBuilder()
        expect(.badFrame, [frames.frame(1, 0x00, empty)], connection)
    }

    @discardableResult
    private func expect(
        _ code: BLIPError.Code, _ frames: [[UInt8]], _ connection: BLIPConnection = BLIPConnection(),
        sourceLocation: SourceLocation = #_sourceLocation,
    ) -> BLIPError? {
        var thrown: BLIPError?
        for frame in frames where thrown == nil {
            do {
                _ = try connection.receive(frame)
            } catch {
                thrown = error
            }
        }
        #expect(thrown?.code == code, sourceLocation: sourceLocation)
        #expect(thrown.map { $0.closeCode > 1001 } == true, sourceLocation: sourceLocation)
        #expect(thrown.map { !$0.message.isEmpty && !$0.description.isEmpty } == true, sourceLocation: sourceLocation)
        return thrown
    }
}
