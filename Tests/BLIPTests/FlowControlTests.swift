import Testing

@testable import BLIP

@Suite("Flow control")
struct FlowControlTests {
    private let body = [UInt8](repeating: 5, count: 1_000_000)

    @Test("A sender pauses at 128,000 unacknowledged bytes, and continues after an acknowledgement")
    func pause() throws {
        let connection = BLIPConnection()
        _ = try connection.send(request: .request("put", body: body))
        let sent = drain(connection)
        #expect(sent >= 128_000)
        #expect(sent < 128_000 + 16_384)
        acknowledge(connection, sent - 127_999 - 1)
        #expect(drain(connection) == 0)
        acknowledge(connection, sent - 127_999)
        #expect(drain(connection) > 0)
    }

    @Test("Other messages pass a paused one")
    func passing() throws {
        let connection = BLIPConnection()
        _ = try connection.send(request: .request("put", body: body))
        _ = drain(connection)
        let second = try connection.send(request: .request("get"))
        #expect(connection.nextFrame()?.first == UInt8(second))
        #expect(connection.nextFrame() == nil)
    }

    @Test("Wrong, old and late acknowledgements are ignored")
    func ignored() throws {
        let connection = BLIPConnection()
        _ = try connection.send(request: .request("put", body: body))
        let sent = drain(connection)
        acknowledge(connection, sent + 1)
        _ = try connection.receive(frame(Acknowledgement(number: 2, isReply: false, total: UInt64(sent))))
        _ = try connection.receive(frame(Acknowledgement(number: 1, isReply: true, total: UInt64(sent))))
        #expect(drain(connection) == 0)
        acknowledge(connection, sent)
        let more = drain(connection)
        #expect(more > 100_000)
        acknowledge(connection, 10)
        #expect(drain(connection) == 0)
    }

    @Test("A receiver acknowledges each 50,000 bytes, counted as the sender counts them")
    func acknowledging() throws {
        let pair = Pair()
        _ = try pair.client.send(request: .request("put", body: body))
        var onWire: UInt64 = 0
        var totals: [UInt64] = []
        var received: BLIPMessage?
        while let frame = pair.client.nextFrame() {
            onWire += UInt64(frame.count - 2)
            if let message = try pair.server.receive(frame)?.message {
                received = message
            }
            while let answer = pair.server.nextFrame() {
                let header = try answer.withUnsafeBytes { try FrameHeader($0) }
                #expect(header.kind == .requestACK)
                #expect(header.flags == [.urgent, .noReply])
                #expect(header.number == 1)
                let acknowledgement = try answer.withUnsafeBytes {
                    try Acknowledgement(header, payload: UnsafeRawBufferPointer(rebasing: $0[header.size...]))
                }
                #expect(acknowledgement.total == onWire)
                totals.append(acknowledgement.total)
                _ = try pair.client.receive(answer)
            }
        }
        #expect(received?.body == body)
        #expect(totals.count > 10)
        #expect(zip(totals, totals.dropFirst()).allSatisfy { $1 - $0 >= 50_000 && $1 - $0 < 50_000 + 16_384 })
        #expect(pair.client.queuedBytes == 0)
        #expect(pair.server.bufferedBytes == 0)
    }

    @Test("Without acknowledgements a message stalls; a single frame never does")
    func stall() throws {
        let connection = BLIPConnection()
        for _ in 0..<100 {
            _ = try connection.send(request: .request("put", body: [UInt8](repeating: 1, count: 10_000)))
        }
        #expect(drain(connection) > 1_000_000)
        #expect(connection.queuedBytes == 0)
    }

    @Test("The number of queued bytes is known")
    func queued() throws {
        let connection = BLIPConnection()
        #expect(connection.hasRoom)
        _ = try connection.send(request: .request("put", body: [UInt8](repeating: 1, count: 2 << 20)))
        #expect(!connection.hasRoom)
        #expect(connection.queuedBytes > 2 << 20)
        let before = connection.queuedBytes
        let frame = try #require(connection.nextFrame())
        #expect(connection.queuedBytes == before - (frame.count - 6))
    }

    private func acknowledge(_ connection: BLIPConnection, _ total: Int) {
        #expect(throws: Never.self) {
            try connection.receive(frame(Acknowledgement(number: 1, isReply: false, total: UInt64(total))))
        }
    }

    private func frame(_ acknowledgement: Acknowledgement) -> [UInt8] {
        var bytes: [UInt8] = []
        acknowledgement.append(to: &bytes)
        return bytes
    }

    /// Takes all frames that are ready.
    ///
    /// - Returns: Their bytes as acknowledgements count them, for message numbers below 128.
    private func drain(_ connection: BLIPConnection) -> Int {
        var total = 0
        while let frame = connection.nextFrame() {
            total += frame.count - 2
        }
        return total
    }
}
