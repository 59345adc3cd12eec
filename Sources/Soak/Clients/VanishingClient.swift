import BLIP
import Coordination
import Foundation
import HTTP
import NIOCore
import NIOPosix

/// A client that repeatedly drops its connection in the middle of an operation.
struct VanishingClient: SoakClient {
    let name = "vanishing"
    let world: World
    let account: SoakAccount

    func live() async throws {
        // The operation during which the client disconnects.
        let stages: [@Sendable () async throws -> Void] = [head, body, frame, feed, pull]
        guard world.isWriting, let stage = stages.randomElement() else { return }
        try await stage()
        try await pause()
    }

    private func pause() async throws {
        try await suspend(for: .seconds(Double.random(in: 0...1.5)))
    }

    /// Sends some bytes and disconnects.
    private func send(_ text: String, _ bytes: [UInt8] = []) async throws {
        let connection = try await RawConnection(port: world.server.port, isSlow: false)
        try await connection.send(Array(text.utf8))
        try await pause()
        if !bytes.isEmpty {
            try await connection.send(bytes)
            try await pause()
        }
        await connection.close(isReset: Bool.random())
    }

    private var authorization: String { account.credentials.map { "Authorization: \($0.authorization)\r\n" } ?? "" }
    private var path: String { "/\(SoakDatabase.name)" }

    @Sendable private func head() async throws {
        try await send("GET \(path)/_all_docs?include_docs=true HTTP/1.1\r\nHost: so")
    }

    @Sendable private func body() async throws {
        let document = #"{"docs":[{"_id":"vanished","n":1,"padding":""#
        let head = "POST \(path)/_bulk_docs HTTP/1.1\r\nHost: soak\r\n\(authorization)Content-Type: application/json\r\n"
        let isChunked = Bool.random()
        let size = isChunked ? "Transfer-Encoding: chunked\r\n\r\n20000\r\n" : "Content-Length: 131072\r\n\r\n"
        try await send(head + size, Array(document.utf8) + Array(repeating: UInt8(ascii: "x"), count: Int.random(in: 0...65_536)))
    }

    /// Disconnects within a BLIP message, in some cases within a WebSocket frame.
    @Sendable private func frame() async throws {
        let connection = BLIPConnection()
        let properties: BLIPProperties = ["id": "vanished", "rev": "1-00"]
        let content = Array((0..<200_000).map { _ in UInt8.random(in: 0x20...0x7e) })
        _ = try connection.send(request: .request("rev", properties: properties, body: content, isCompressed: Bool.random()))
        guard let first = connection.nextFrame() else { return }
        // A frame of up to 64 KiB with a mask of zeros.
        let length = [UInt8(first.count >> 8 & 0xff), UInt8(first.count & 0xff)]
        let frame = [0x82, 0x80 | 126] + length + [0, 0, 0, 0] + first
        let isCut = Bool.random()
        try await send(
            "GET \(path)/_blipsync HTTP/1.1\r\nHost: soak\r\n\(authorization)Connection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Protocol: \(Dialect.third.subprotocol)\r\n\r\n",
            isCut ? Array(frame.prefix(frame.count / 2)) : frame)
    }

    @Sendable private func feed() async throws {
        let kind = ["continuous", "longpoll", "eventsource"].randomElement() ?? ""
        try await send("GET \(path)/_changes?feed=\(kind)&include_docs=true HTTP/1.1\r\nHost: soak\r\n\(authorization)\r\n")
    }

    /// Disconnects while it receives revisions.
    @Sendable private func pull() async throws {
        let conversation = try await Conversation(world, account, Dialect.allCases.randomElement() ?? .third)
        async let receiving: Void = conversation.receive { request in
            guard request.profile == "changes" else { return }
            let rows = request.body.count { $0 == UInt8(ascii: "[") } - 1
            let wanted = Array(repeating: "[]", count: max(rows, 0)).joined(separator: ",")
            try await conversation.answer(.reply(to: request.number, body: Array("[\(wanted)]".utf8)))
        }
        _ = try? await conversation.ask(.request("subChanges", properties: ["continuous": "true"]))
        try await pause()
        await conversation.end()
        _ = try? await receiving
    }
}
