import Coordination
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPListener

@Suite("Timeouts and shutdown", .timeLimit(.minutes(5)))
struct HTTPTimeTests {
    @Test("A slow first request gets 408", arguments: ["G", "GET / HTTP/1.1\r\nHost: a\r\n"])
    func slowHead(start: String) async throws {
        var limits = quickLimits
        // Long enough for the first byte to arrive on a busy machine: without it the connection is closed without a response.
        limits.headTimeout = .seconds(4)
        try await withServer(limits: limits, handler: describe) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send(start)
            let text = try await client.readToEnd()
            #expect(text.hasPrefix("HTTP/1.1 408 "))
            #expect(text.contains("Server: Test/1 (Server)"))
        }
    }

    @Test("A connection without a request is closed without a response")
    func silent() async throws {
        var limits = quickLimits
        limits.headTimeout = .seconds(1)
        try await withServer(limits: limits, handler: describe) { port, _ in
            let client = try await RawClient.connect(port: port)
            #expect(try await client.readToEnd() == "")
        }
    }

    @Test("A slow later head gets 408")
    func slowSecondHead() async throws {
        var limits = quickLimits
        // As above: the first request and the first bytes of the second should arrive in time.
        limits.headTimeout = .seconds(4)
        try await withServer(limits: limits, handler: describe) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await client.read(until: "GET /1")
            try await client.send("GET /2 HT")
            #expect(try await client.readToEnd().hasSuffix("in time.\"}\n"))
        }
    }

    @Test("A slow body gets 408")
    func slowBody() async throws {
        var limits = quickLimits
        limits.bodyTimeout = .milliseconds(100)
        try await withServer(limits: limits, handler: describe) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhal")
            #expect(try await client.readToEnd().hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test("An idle connection is closed without a response")
    func keepAlive() async throws {
        var limits = quickLimits
        limits.keepAliveTimeout = .milliseconds(100)
        try await withServer(limits: limits, handler: describe) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
            let text = try await client.readToEnd()
            #expect(text.hasSuffix("GET /1 "))
        }
    }

    @Test("The handler is cancelled when its client disconnects")
    func clientLeaves() async throws {
        let (ends, end) = AsyncStream<Bool>.makeStream()
        let (begins, begin) = AsyncStream<Void>.makeStream()
        try await withServer(
            limits: quickLimits,
            handler: { _, _ in
                begin.yield()
                let (never, keep) = AsyncStream<Void>.makeStream()
                for await _ in never {}
                keep.finish()
                end.yield(Task.isCancelled)
                return plain("late")
            }
        ) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send("GET /feed HTTP/1.1\r\nHost: a\r\n\r\n")
            for await _ in begins { break }
            client.close()
            for await wasCancelled in ends {
                #expect(wasCancelled)
                break
            }
        }
    }

    @Test("A client that closes its side after the request still gets the response")
    func halfClose() async throws {
        try await withServer(limits: quickLimits, handler: describe) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send("PUT /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi")
            try await client.closeOutput()
            #expect(try await client.readToEnd().hasSuffix("PUT /1 hi"))
        }
    }

    @Test("A client that disconnects in the middle of its body fails the body")
    func cutBody() async throws {
        let (results, result) = AsyncStream<HTTPResponse.Status?>.makeStream()
        try await withServer(
            limits: quickLimits,
            handler: { request, _ in
                do {
                    _ = try await request.bytes(upTo: 100)
                    result.yield(nil)
                } catch {
                    result.yield((error as? RequestError)?.code.status ?? HTTPResponse.Status(code: 999))
                }
                return plain("")
            }
        ) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send("PUT /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\nhi")
            try await client.closeOutput()
            for await status in results {
                #expect(status == .badRequest)
                break
            }
        }
    }

    @Test("A shutdown lets requests finish, ends feeds and closes idle connections")
    func shutdown() async throws {
        var limits = quickLimits
        limits.shutdownTimeout = .seconds(20)
        let (begins, begin) = AsyncStream<Void>.makeStream()
        let (releases, release) = AsyncStream<Void>.makeStream()
        try await withServer(
            limits: limits,
            handler: { request, info in
                switch request.head.path {
                case "/feed":
                    return Response(
                        status: .ok,
                        body: ResponseBody { writer in
                            try await writer.write(ByteBuffer(string: "row"))
                            let (shutdowns, shutdown) = AsyncStream<Void>.makeStream()
                            await info.shutdown.during {
                                for await _ in shutdowns {}
                            } onRaise: {
                                shutdown.finish()
                            }
                            try await writer.write(ByteBuffer(string: "last"))
                            try await writer.finish(nil)
                        })
                case "/slow":
                    begin.yield()
                    // The other connections may be closed before this one.
                    let (shutdowns, shutdown) = AsyncStream<Void>.makeStream()
                    await info.shutdown.during {
                        for await _ in shutdowns {}
                    } onRaise: {
                        shutdown.finish()
                    }
                    for await _ in releases { break }
                    return plain("slow")
                default: return plain("idle")
                }
            }
        ) { port, server in
            let idle = try await RawClient.connect(port: port)
            try await idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await idle.read(until: "idle")
            let feed = try await RawClient.connect(port: port)
            try await feed.send("GET /feed HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await feed.read(until: "row")
            let slow = try await RawClient.connect(port: port)
            try await slow.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            for await _ in begins { break }
            async let stopped: Void = server.shutdown()
            #expect(try await idle.readToEnd() == "")
            #expect(try await feed.readToEnd().hasSuffix("last\r\n0\r\n\r\n"))
            release.yield()
            let answer = try await slow.readToEnd()
            #expect(answer.contains("Connection: close"))
            #expect(answer.hasSuffix("slow"))
            try await stopped
        }
    }

    @Test("A shutdown right after a response does not truncate it", arguments: 0..<20)
    func shutdownAfterAnswer(round: Int) async throws {
        let size = 200_000
        try await withServer(
            limits: quickLimits,
            handler: { _, info in
                info.shutdown.raise()
                return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 65, count: size)))
            }
        ) { port, server in
            let client = try await RawClient.connect(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = try await client.read(until: "HTTP/1.1 200")
            async let stopped: Void = server.shutdown()
            #expect(head == "HTTP/1.1 200")
            #expect(try await client.bytesToEnd().suffix(size).allSatisfy { $0 == 65 })
            try await stopped
        }
    }

    @Test("Connections that do not end are dropped at the shutdown's timeout")
    func shutdownDeadline() async throws {
        let (begins, begin) = AsyncStream<Void>.makeStream()
        try await withServer(
            limits: quickLimits,
            handler: { _, _ in
                begin.yield()
                let (never, keep) = AsyncStream<Void>.makeStream()
                for await _ in never {}
                keep.finish()
                return plain("never")
            }
        ) { port, server in
            let client = try await RawClient.connect(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            for await _ in begins { break }
            try await server.shutdown()
            #expect(try await client.readToEnd() == "")
        }
    }

    @Test("A port in use is an error of run and of port")
    func portInUse() async throws {
        try await withServer(limits: quickLimits, handler: describe) { port, _ in
            let second = HTTPServer(
                configuration: .init(port: port, serverName: "x"), logger: Logger(label: "test"), handler: describe)
            let bound = Task { try await second.port() }
            await #expect(throws: (any Error).self) { try await second.run() }
            await #expect(throws: (any Error).self) { _ = try await bound.value }
        }
    }

    @Test("More connections than allowed wait")
    func maximumConnections() async throws {
        var limits = quickLimits
        limits.connections = 1
        try await withServer(limits: limits, handler: describe) { port, _ in
            let first = try await RawClient.connect(port: port)
            try await first.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await first.read(until: "GET /1")
            let second = try await RawClient.connect(port: port)
            try await second.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            try await first.send("GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(try await first.readToEnd().hasSuffix("GET /3 "))
            first.close()
            #expect(try await second.read(until: "GET /2 ").hasSuffix("GET /2 "))
        }
    }

    @Test("64 MB to a client that reads late use limited memory")
    func slowReader() async throws {
        let total = 64 << 20
        let written = Counter()
        try await withServer(
            limits: quickLimits,
            handler: { _, _ in
                Response(
                    status: .ok,
                    body: ResponseBody(contentLength: total) { writer in
                        let piece = ByteBuffer(repeating: 7, count: 64 << 10)
                        for _ in 0..<(total / piece.readableBytes) {
                            try await writer.write(piece)
                            written.add(piece.readableBytes)
                        }
                        try await writer.finish(nil)
                    })
            }
        ) { port, _ in
            // The system lets a socket's buffer grow to 32 MB by default.
            let client = try await RawClient.connect(port: port, receiveBuffer: 1 << 20)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            var received = 0
            var farthest = 0
            while let buffer = try await client.next() {
                received += buffer.readableBytes
                farthest = max(farthest, written.value - received)
            }
            #expect(received > total)
            // The buffers of both sockets and the server's own.
            #expect(farthest < 16 << 20)
        }
    }

    @Test("64 MB to a route that reads late use limited memory")
    func slowRoute() async throws {
        let total = 64 << 20
        let (releases, release) = AsyncStream<Void>.makeStream()
        let received = Counter()
        try await withServer(
            limits: quickLimits,
            handler: { request, _ in
                for await _ in releases { break }
                do {
                    for try await buffer in request.body { received.add(buffer.readableBytes) }
                    return plain("all")
                } catch {
                    return plain("\(error)")
                }
            }
        ) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(total)\r\nConnection: close\r\n\r\n")
            let sent = Counter()
            async let sending: Void = {
                let piece = [UInt8](repeating: 7, count: 64 << 10)
                for _ in 0..<(total / piece.count) {
                    try await client.send(piece)
                    sent.add(piece.count)
                }
            }()
            // The sender stops long before the end; the bytes that it has sent are in buffers.
            await sent.waitUntilStable()
            #expect(sent.value < total / 2)
            release.yield()
            try await sending
            #expect(try await client.readToEnd().hasSuffix("all"))
            #expect(received.value == total)
        }
    }
}
