/// A WebSocket of raw bytes, for frames that no client library sends.
final class RawWebSocket: Sendable {
    /// A frame as received.
    struct Frame {
        let opcode: UInt8
        let payload: [UInt8]

        /// The code of a close frame.
        var closeCode: Int? {
            opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil
        }
    }

    /// RFC 6455's own example of a key, and the accept value for it.
    static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    let socket: RawSocket

    /// Owns a connection that the server has upgraded to a WebSocket.
    init(_ socket: RawSocket) {
        self.socket = socket
    }

    /// Opens one at `/{db}/_blipsync`.
    static func open(
        _ bridge: RunningBridge, _ subprotocol: String = "BLIP_3+CBMobile_3", headers: String = "", port: Int? = nil
    ) async throws -> RawWebSocket {
        try await open(port: port ?? bridge.port, subprotocol, headers: headers)
    }

    static func open(port: Int, _ subprotocol: String, headers: String = "") async throws -> RawWebSocket {
        let socket = try RawSocket(port: port)
        try await socket.send(request(subprotocols: subprotocol, headers: headers))
        let head = try await socket.read(until: "\r\n\r\n")
        guard head.hasPrefix("HTTP/1.1 101 ") else { throw RawSocket.Failure(message: "no WebSocket: \(head)") }
        return RawWebSocket(socket)
    }

    /// An upgrade request as LiteCore writes it.
    static func request(_ path: String = "/shop/_blipsync", subprotocols: String = "BLIP_3+CBMobile_3", headers: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: a\r\nSec-WebSocket-Version: 13\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Protocol: \(subprotocols)\r\nSec-WebSocket-Key: \(key)\r\n\(headers)\r\n"
    }

    /// The bytes of a client's frame.
    ///
    /// - Parameters:
    ///   - first: The first byte, with any value.
    ///   - length: The claimed length of the frame.
    static func frame(_ first: UInt8, _ payload: [UInt8], length: Int? = nil, isMasked: Bool = true) -> [UInt8] {
        let length = length ?? payload.count
        var bytes = [first]
        let bit: UInt8 = isMasked ? 0x80 : 0
        switch length {
        case ..<126: bytes.append(bit | UInt8(length))
        case ..<0x1_0000: bytes += [bit | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
        default: bytes += [bit | 127] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
        }
        guard isMasked else { return bytes + payload }
        let mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }

    /// The bytes of a whole binary message.
    static func frame(_ payload: [UInt8]) -> [UInt8] { frame(0x82, payload) }

    func send(_ payload: [UInt8]) async throws { try await socket.send(Self.frame(payload)) }

    /// The next frame; `nil` when the server has closed the connection.
    func next() async throws -> Frame? {
        guard let head = try? await socket.read(count: 2) else { return nil }
        var length = Int(head[1] & 0x7F)
        if length > 125 {
            length = try await socket.read(count: length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
        }
        return Frame(opcode: head[0] & 0x0F, payload: try await socket.read(count: length))
    }

    /// The server's close code; earlier frames are skipped. `nil` if the connection ends without a close frame.
    func closeCode() async throws -> Int? {
        while let frame = try await next() {
            if let code = frame.closeCode { return code }
        }
        return nil
    }
}
