import TestSupport

extension FuzzConversation {
    /// TLS clients with faulty handshakes, one after the other: each connection has to end.
    mutating func playHandshakes(_ port: Int) throws {
        while sent < FuzzSettings.ofConversation {
            let socket = try FuzzSocket(port: port)
            let bytes = maker.handshake()
            let cut = maker.random.number(0...bytes.count)
            socket.send(Array(bytes[..<cut]))
            // Sometimes the rest follows the server's reply.
            if maker.random.once(in: 3) { _ = socket.receive(milliseconds: 50) }
            socket.send(Array(bytes[cut...]))
            socket.closeOutput()
            sent += 1
            reading: while true {
                switch socket.receive(milliseconds: FuzzSettings.timeout * 1_000) {
                case .bytes: continue
                case .end: break reading
                case .nothing: throw FuzzFault("a broken handshake stays open for \(FuzzSettings.timeout) s", sent: bytes)
                }
            }
        }
    }
}

extension Maker {
    /// TLS records that violate the protocol, or nearly: a first message, damaged or not, followed by records that do not fit.
    mutating func handshake() -> [UInt8] {
        var hello = clientHello()
        if random.once(in: 2) { damage(&hello) }
        var bytes = random.once(in: 8) ? [] : Self.record(22, hello)
        if random.once(in: 3) { damage(&bytes) }
        for _ in 0..<random.number(0...4) {
            switch random.number(0...6) {
            case 0: bytes += Self.record(UInt8(random.number(0...255)), random.pick(Boundaries.texts))
            // Alerts, a change of ciphers, data before any keys.
            case 1: bytes += Self.record(21, [random.pick([1, 2, 9]), UInt8(random.number(0...255))])
            case 2: bytes += Self.record(20, [1])
            case 3: bytes += Self.record(23, (0..<random.number(0...200)).map { _ in UInt8(random.number(0...255)) })
            case 4: bytes += Self.record(22, hello)
            // False lengths: a record too long for the protocol, a message longer than all records.
            case 5: bytes += [22, 3, 1, 0xff, 0xff] + [UInt8](repeating: 1, count: random.number(0...70_000))
            default:
                bytes += Self.record(
                    22, [UInt8(random.number(0...255)), 0xff, 0xff, 0xff] + [UInt8](repeating: 0, count: random.number(0...16_000)))
            }
        }
        return random.once(in: 20) ? Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8) : bytes
    }

    private static func record(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [type, 3, 1, UInt8(truncatingIfNeeded: payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)] + payload
    }

    /// A `ClientHello` of TLS 1.2 with the extensions that servers require (RFC 5246 7.4.1.2, RFC 8422 5.1).
    private mutating func clientHello() -> [UInt8] {
        func sized(_ bytes: [UInt8]) -> [UInt8] {
            [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
        }
        let ciphers: [UInt8] = [0xc0, 0x2b, 0xc0, 0x2f, 0x13, 0x01]
        var extensions: [UInt8] = [0, 10] + sized(sized([0, 0x1d, 0, 0x17]))
        extensions += [0, 11] + sized([1, 0])
        extensions += [0, 13] + sized(sized([4, 3, 8, 4, 4, 1]))
        if random.once(in: 3) { extensions += [0, 16] + sized(sized([2] + Array("h2".utf8) + [8] + Array("http/1.1".utf8))) }
        if random.once(in: 3) { extensions += [0, 0] + sized(sized([0] + sized(random.pick(Boundaries.texts)))) }
        let noise = (0..<32).map { _ in UInt8(random.number(0...255)) }
        let body = [3, 3] + noise + [0] + sized(ciphers) + [1, 0] + sized(extensions)
        return [1, 0] + sized(body)
    }
}
