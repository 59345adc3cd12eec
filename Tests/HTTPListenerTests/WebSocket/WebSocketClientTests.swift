import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPListener

@Suite("WebSocket client", .timeLimit(.minutes(5)))
struct WebSocketClientTests {
    private func code(_ url: String, _ options: WebSocketClient.Options = .init()) async -> WebSocketError.Code? {
        do {
            _ = try await WebSocketClient.connect(to: url, options: options)
            return nil
        } catch {
            return (error as? WebSocketError)?.code
        }
    }

    @Test("The server gets the request as Couchbase Lite writes it, and the client gets the response")
    func request() async throws {
        let (requests, seen) = AsyncStream<HTTPRequest>.makeStream()
        try await withServer(
            limits: quickLimits,
            handler: { request, _ in
                seen.yield(request.head)
                return .webSocket(subprotocol: "BLIP_3+CBMobile_2", headers: [.setCookie: "a=b"], handler: echo)
            }
        ) { port, _ in
            var options = WebSocketClient.Options()
            options.subprotocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]
            options.headers = [.authorization: "Basic dTpw", .userAgent: "Test"]
            let opened = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)/db/_blipsync", options: options)
            let (socket, response) = (opened.connection, opened.response)
            #expect(socket.subprotocol == "BLIP_3+CBMobile_2")
            #expect(response.status == .switchingProtocols && response.headerFields[.setCookie] == "a=b")
            for await head in requests {
                #expect(head.path == "/db/_blipsync" && head.authority == "127.0.0.1:\(port)")
                #expect(head.headerFields[.secWebSocketProtocol] == "BLIP_3+CBMobile_3,BLIP_3+CBMobile_2")
                #expect(head.headerFields[.authorization] == "Basic dTpw")
                #expect(head.headerFields[.connection] == "Upgrade" && head.headerFields[.upgrade] == "websocket")
                break
            }
            // The first write right after the handshake is not lost.
            try await socket.send(.text("first"))
            #expect(try await socket.receive() == [.text("first")])
            await socket.close(code: .normalClosure, reason: "")
        }
    }

    @Test("A refusal has status, headers and body", arguments: ["application/json", "text/plain; charset=utf-8", "text/html"])
    func refusal(type: String) async throws {
        try await withServer(
            limits: quickLimits,
            handler: { _, _ in
                Response(
                    status: .unauthorized, headers: [.contentType: type, .wwwAuthenticate: "Basic realm=\"x\""],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: String(repeating: "reason", count: 20_000))))
            }
        ) { port, _ in
            do {
                _ = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)/db")
                Issue.record("The socket was opened.")
            } catch let refusal as WebSocketRefusal {
                #expect(refusal.response.status == .unauthorized)
                #expect(refusal.response.headerFields[.wwwAuthenticate] == "Basic realm=\"x\"")
                #expect(refusal.body.count == (type == "text/html" ? 0 : 64 * 1024))
            }
        }
    }

    /// Sends fixed bytes to every connection; `KEY` stands for the right accept value if the request's key is known.
    private func withAnswer(_ answer: String, _ body: @Sendable (Int) async throws -> Void) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(FixedAnswer(answer: answer)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            try await body(channel.localAddress?.port ?? 0)
        } catch {
            try await channel.close()
            throw error
        }
        try await channel.close()
    }

    @Test(
        "A response that does not open the requested WebSocket is an error",
        arguments: [
            "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: wrong\r\nSec-WebSocket-Protocol: p\r\n\r\n",
            "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: KEY\r\n\r\n",
            "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: KEY\r\nSec-WebSocket-Protocol: q\r\n\r\n",
            "HTTP/1.1 101 X\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: KEY\r\nSec-WebSocket-Protocol: p\r\n\r\n",
            "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: KEY\r\nSec-WebSocket-Protocol: p\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
            "SSH-2.0-OpenSSH_9.2p1\r\n",
        ])
    func notWebSocket(answer: String) async throws {
        try await withAnswer(answer) { port in
            var options = WebSocketClient.Options()
            options.subprotocols = ["p"]
            #expect(await code("ws://127.0.0.1:\(port)/", options) == .notWebSocket)
        }
    }

    @Test("Frames that come with the 101 response are read, and a 100 before it is skipped")
    func earlyFrames() async throws {
        let answer =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 X\r\nUpgrade: WebSocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: KEY\r\n\r\n\u{1}\u{2}he"
        try await withAnswer(answer) { port in
            let socket = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)/").connection
            // An unfinished fragment; then the server closes.
            #expect(try await socket.receive() == nil)
            #expect(socket.closure?.initiator == .lost)
        }
    }

    @Test("A server that does not respond times out, and one that disconnects is an error")
    func noAnswer() async throws {
        let options = {
            var options = WebSocketClient.Options()
            options.answerTimeout = .milliseconds(50)
            return options
        }()
        try await withAnswer("") { port in #expect(await code("ws://127.0.0.1:\(port)/", options) == .timeout) }
        try await withAnswer("HANG UP") { port in #expect(await code("ws://127.0.0.1:\(port)/") == .unreachable) }
        try await withAnswer("") { port in #expect(await code("wss://127.0.0.1:\(port)/", options) == .timeout) }
    }

    @Test("A refused connection is unreachable")
    func nobody() async throws {
        let port = try await withServer(limits: quickLimits, handler: describe) { port, _ in port }
        #expect(await code("ws://127.0.0.1:\(port)/") == .unreachable)
        var options = WebSocketClient.Options()
        options.localInterface = "nosuch0"
        #expect(await code("ws://127.0.0.1:\(port)/", options) == .unknownInterface)
    }

    @Test("A cancelled attempt ends at once")
    func cancelled() async throws {
        try await withAnswer("") { port in
            let attempt = Task { try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)/").connection }
            attempt.cancel()
            await #expect(throws: CancellationError.self) { _ = try await attempt.value }
        }
    }

    @Test("A connection from a given interface is opened", arguments: ["lo", "127.0.0.1"])
    func interface(name: String) async throws {
        try await withServer(limits: quickLimits, handler: webSocket(.init(), echo)) { port, _ in
            var options = WebSocketClient.Options()
            options.localInterface = name
            let socket = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)/", options: options).connection
            socket.drop()
        }
    }

    @Test("Authorities, a pinned certificate or self-signed certificates are trusted, and others are refused at once")
    func trust() async throws {
        @Sendable func attempt(_ port: Int, _ tls: ClientTLS, host: String = "localhost") async -> WebSocketError.Code? {
            var options = WebSocketClient.Options()
            options.tls = tls
            return await code("wss://\(host):\(port)/", options)
        }
        let signed = try ReloadableTLS(TestCertificates.first.server())
        try await withServer(limits: quickLimits, tls: signed, handler: webSocket(.init(), echo)) { port, _ in
            let authority = ClientTLS(trust: .authorities([try TestCertificates.authority.parsed]))
            #expect(await attempt(port, authority) == nil)
            #expect(await attempt(port, authority, host: "127.0.0.1") == nil)
            #expect(await attempt(port, ClientTLS()) == .untrusted)
            let stranger = ClientTLS(trust: .authorities([try TestCertificates.stranger.parsed]))
            #expect(await attempt(port, stranger) == .untrusted)
            let pinned = ClientTLS(trust: .pinned(try TestCertificates.first.parsed))
            #expect(await attempt(port, pinned) == nil)
            let wrongPin = ClientTLS(trust: .pinned(try TestCertificates.second.parsed))
            #expect(await attempt(port, wrongPin) == .untrusted)
            #expect(await attempt(port, ClientTLS(trust: .selfSignedOnly)) == .untrusted)
        }
        let own = try ReloadableTLS(TestCertificates.selfSigned.server())
        try await withServer(limits: quickLimits, tls: own, handler: webSocket(.init(), echo)) { port, _ in
            #expect(await attempt(port, ClientTLS(trust: .selfSignedOnly)) == nil)
            let pinned = ClientTLS(trust: .pinned(try TestCertificates.selfSigned.parsed))
            #expect(await attempt(port, pinned) == nil)
            let authority = ClientTLS(trust: .authorities([try TestCertificates.authority.parsed]))
            #expect(await attempt(port, authority) == .untrusted)
        }
    }

    @Test("A TLS failure has its reason")
    func faults() async throws {
        @Sendable func fault(_ port: Int, _ tls: ClientTLS) async -> TLSFault? {
            var options = WebSocketClient.Options()
            options.tls = tls
            do {
                try await WebSocketClient.connect(to: "wss://localhost:\(port)/", options: options).connection.drop()
                return nil
            } catch { return (error as? WebSocketError)?.tlsFault }
        }
        let authority = ClientTLS.Trust.authorities([try TestCertificates.authority.parsed])
        let pinned = ClientTLS.Trust.pinned(try TestCertificates.second.parsed)
        for (certificate, trust, expected) in [
            (TestCertificates.expired, authority, TLSFault.expired), (TestCertificates.elsewhere, authority, .nameMismatch),
            (TestCertificates.first, .systemRoots, .unknownAuthority), (TestCertificates.selfSigned, .systemRoots, .unknownAuthority),
            (TestCertificates.first, pinned, .pinMismatch), (TestCertificates.first, .selfSignedOnly, .pinMismatch),
            (TestCertificates.expired, pinned, .pinMismatch),
        ] as [(TestCertificates.PEM, ClientTLS.Trust, TLSFault)] {
            let tls = try ReloadableTLS(certificate.server())
            try await withServer(limits: quickLimits, tls: tls, handler: webSocket(.init(), echo)) { port, _ in
                #expect(await fault(port, ClientTLS(trust: trust)) == expected)
            }
        }
        for version in [TLSVersion.tlsv12, .tlsv13] {
            var configuration = try TestCertificates.first.server(clientAuthority: TestCertificates.authority)
            configuration.maximumTLSVersion = version
            try await withServer(limits: quickLimits, tls: ReloadableTLS(configuration), handler: webSocket(.init(), echo)) { port, _ in
                #expect(await fault(port, ClientTLS(trust: authority, identity: try? TestCertificates.client.identity)) == nil)
                let stranger = ClientTLS(trust: authority, identity: try? TestCertificates.stranger.identity)
                #expect(await fault(port, stranger) == .clientCertificateRejected)
                // TLS 1.2 reports only that the handshake has failed.
                #expect(await fault(port, ClientTLS(trust: authority)) == (version == .tlsv13 ? .clientCertificateRequired : .handshake))
            }
        }
    }

    @Test("A client's certificate is presented, and messages are sent over TLS")
    func identity() async throws {
        let tls = try ReloadableTLS(TestCertificates.first.server(clientAuthority: TestCertificates.authority))
        try await withServer(limits: quickLimits, tls: tls, handler: webSocket(.init(), echo)) { port, _ in
            var options = WebSocketClient.Options()
            options.tls = ClientTLS(
                trust: .authorities([try TestCertificates.authority.parsed]), identity: try TestCertificates.client.identity)
            let socket = try await WebSocketClient.connect(to: "wss://localhost:\(port)/", options: options).connection
            let messages = (0..<1000).map { WebSocketMessage.text("\($0)") } + [.binary([UInt8](repeating: 1, count: 1 << 20))]
            try await socket.send(messages)
            #expect(try await socket.receive(count: 1001) == messages)
            await socket.close(code: .normalClosure, reason: "")
            options.tls.identity = nil
            #expect(await code("wss://localhost:\(port)/", options) == .untrusted)
        }
    }
}

/// Responds to the first bytes of a connection, then closes.
private final class FixedAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: String

    init(answer: String) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !answer.isEmpty else { return }
        guard answer != "HANG UP" else { return context.close(promise: nil) }
        let request = String(buffer: unwrapInboundIn(data))
        let key = request.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19) ?? ""
        let text = answer.replacing("KEY", with: WebSocketHandshake.accept(key: String(key)))
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text))).whenComplete { _ in bound.value.close(promise: nil) }
    }
}
