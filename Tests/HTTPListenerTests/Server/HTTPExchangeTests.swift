import HTTPTypes
import HummingbirdCore
import NIOCore
import Testing

@testable import HTTPListener

@Suite("HTTP exchanges", .timeLimit(.minutes(5)))
struct HTTPExchangeTests {
    /// Sends bytes and returns everything until the server closes; the last request should ask it to.
    private func exchange(_ bytes: String, limits: HTTPServerLimits = quickLimits, handler: @escaping HTTPServer.Handler = describe)
        async throws -> String
    {
        try await withServer(limits: limits, handler: handler) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send(bytes)
            return try await client.readToEnd()
        }
    }

    private func statuses(_ text: String) -> [String] {
        text.split(separator: "HTTP/1.1 ").map { String($0.prefix(3)) }
    }

    @Test("A response has status, headers, Server and Date")
    func answer() async throws {
        let text = try await exchange("GET /db/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(text.contains("\r\nServer: Test/1 (Server)\r\n"))
        #expect(text.contains("\r\nDate: "))
        #expect(text.contains("\r\nConnection: close\r\n"))
        #expect(text.contains("\r\nContent-Length: 9\r\n"))
        #expect(text.hasSuffix("\r\n\r\nGET /db/ "))
    }

    @Test("Pipelined requests are answered in order")
    func pipelined() async throws {
        let requests = (1...50).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\(($0 == 50) ? "Connection: close\r\n" : "")\r\n" }
        let text = try await exchange(requests.joined())
        let paths = text.split(separator: "GET /").dropFirst().map { $0.prefix { $0.isNumber } }
        #expect(paths.map(String.init) == (1...50).map(String.init))
    }

    @Test(
        "The target is passed on unchanged",
        arguments: [
            "/db/_changes?feed=normal&doc_ids=[\"a\",\"b\"]", "/db/{x}|y^z<1>", "/db/a%2Fb%20c", "/db//x/./..//", "/db/a:b?x=http://y/z",
            "/db/'`\\", "*",
        ])
    func target(target: String) async throws {
        let text = try await exchange("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(text.hasSuffix("\r\n\r\nGET \(target) "))
    }

    @Test(
        "An absolute target loses scheme and host", arguments: [("http://a/db?x=1", "/db?x=1"), ("http://a", "/"), ("HTTPS://a?x", "/?x")])
    func absoluteTarget(target: String, path: String) async throws {
        let text = try await exchange("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(text.hasSuffix("\r\n\r\nGET \(path) "))
    }

    @Test(
        "All methods reach the handler",
        arguments: ["GET", "POST", "PUT", "DELETE", "OPTIONS", "COPY", "PATCH", "TRACE", "PROPFIND", "PURGE"])
    func methods(method: String) async throws {
        let text = try await exchange("\(method) /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(text.hasSuffix("\r\n\r\n\(method) /x "))
    }

    @Test("CONNECT gets a response and ends the connection")
    func connect() async throws {
        let text = try await exchange("CONNECT example.org:80 HTTP/1.1\r\nHost: example.org:80\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(statuses(text) == ["200"])
        #expect(text.contains("Connection: close"))
    }

    @Test("HEAD has the length and no body", arguments: [true, false])
    func head(hasLength: Bool) async throws {
        let text = try await exchange("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") {
            request, _ in
            guard request.method == .head else { return plain("next") }
            guard !hasLength else { return plain("twelve bytes") }
            return Response(status: .ok, body: ResponseBody { writer in try await writer.finish(nil) })
        }
        #expect(text.contains("Content-Length: 12\r\n") == hasLength)
        #expect(!text.contains("twelve bytes"))
        #expect(!text.contains("chunked"))
        #expect(statuses(text) == ["200", "200"])
        #expect(text.hasSuffix("\r\n\r\nnext"))
    }

    @Test("204 and 304 have no body and no length", arguments: [204, 304])
    func noBody(code: Int) async throws {
        let text = try await exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") { _, _ in plain("never", .init(code: code))
        }
        #expect(statuses(text) == ["\(code)"])
        #expect(!text.contains("Content-Length"))
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test("A body of unknown length is chunked, with its trailers after it")
    func chunked() async throws {
        let text = try await exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(string: "hello"))
                    try await writer.write(ByteBuffer())
                    try await writer.write(ByteBuffer(string: String(repeating: "x", count: 5000)))
                    try await writer.finish([.eTag: "later"])
                })
        }
        let body = "5\r\nhello\r\n1388\r\n" + String(repeating: "x", count: 5000) + "\r\n0\r\nETag: later\r\n\r\n"
        #expect(text.contains("Transfer-Encoding: chunked\r\n"))
        #expect(text.hasSuffix("\r\n\r\n" + body))
    }

    @Test("A chunked request body is joined")
    func chunkedRequest() async throws {
        let text = try await exchange(
            "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX: y\r\n\r\n"
        )
        #expect(text.hasSuffix("\r\n\r\nPOST /x abcde"))
    }

    @Test("Expect: 100-continue gets its response at once, also on a later request")
    func expectContinue() async throws {
        try await withServer(limits: quickLimits, handler: describe) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send(
                "GET / HTTP/1.1\r\nHost: a\r\n\r\nPUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-Continue\r\n\r\n")
            let first = try await client.read(until: "100 Continue\r\n\r\n")
            #expect(first.hasPrefix("HTTP/1.1 200"))
            try await client.send("hello")
            #expect(try await client.read(until: "hello").hasSuffix("PUT /x hello"))
        }
    }

    @Test("HTTP/1.0 gets a response, and the connection is closed")
    func http10() async throws {
        let text = try await exchange("GET / HTTP/1.0\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 200"))
        #expect(text.contains("Connection: close"))
    }

    @Test("HTTP/1.0 with keep-alive stays open")
    func http10KeepAlive() async throws {
        let text = try await exchange("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /2 HTTP/1.0\r\n\r\n")
        #expect(text.contains("Connection: keep-alive\r\n"))
        #expect(statuses(text) == ["200", "200"])
    }

    @Test("A chunked HTTP/1.0 request is the last of its connection")
    func http10Chunks() async throws {
        let text = try await exchange(
            "POST /1 HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /2 HTTP/1.0\r\n\r\n")
        #expect(statuses(text) == ["200"])
        #expect(text.contains("Connection: close\r\n"))
    }

    @Test("HTTP/1.0 gets a body of unknown length without chunks")
    func http10Stream() async throws {
        let text = try await exchange("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(string: "rows"))
                    try await writer.finish(nil)
                })
        }
        #expect(!text.contains("chunked"))
        #expect(text.hasSuffix("\r\n\r\nrows"))
    }

    @Test(
        "A malformed request gets a JSON response with the Server header, and the connection ends",
        arguments: [
            ("BOGUS\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "400"),
            ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "501"),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nHost: a\r\nBad Name: x\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n", "400"),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", "400"),
            ("G\u{fc}T / HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400"),
            ("NOSUCHMETHOD / HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 100_000) + "\r\n\r\n", "431"),
            ("GET /" + String(repeating: "a", count: 200_000) + " HTTP/1.1\r\nHost: a\r\n\r\n", "431"),
            ("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 300) + "\r\n", "431"),
        ])
    func malformed(request: String, status: String) async throws {
        let text = try await exchange(request)
        #expect(statuses(text) == [status])
        #expect(text.contains("Server: Test/1 (Server)"))
        #expect(text.contains("Content-Type: application/json"))
        #expect(text.contains("{\"error\":\""))
        #expect(text.contains("\"reason\":\""))
    }

    @Test("Requests before a malformed one get their responses first")
    func malformedLater() async throws {
        let text = try await exchange("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nBOGUS\r\n\r\n")
        #expect(statuses(text) == ["200", "400"])
    }

    @Test("A malformed chunk fails the body and ends the connection")
    func malformedChunk() async throws {
        let text = try await exchange("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
        #expect(statuses(text).first == "400")
    }

    @Test("h2c is ignored, with and without a body")
    func h2c() async throws {
        let text = try await exchange(
            "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n"
                + "PUT /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nhello"
                + "GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(statuses(text) == ["200", "200", "200"])
        #expect(text.contains("PUT /2 hello"))
        #expect(text.hasSuffix("GET /3 "))
    }

    @Test(
        "A request after a declined upgrade gets its response, whatever the form of the fields",
        arguments: ["h2c", ",", "", ", ,", "h2c, websocket"],
        ["Upgrade", "upgrade,", "keep-alive , UPGRADE", "keep-alive", "upgrade x", "upgrade\t, x", "\tupgrade"])
    func notUpgraded(_ upgrade: String, _ connection: String) async throws {
        let text = try await exchange(
            "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: \(connection)\r\nUpgrade: \(upgrade)\r\n\r\n"
                + "GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(statuses(text).count == 2 && text.hasSuffix("GET /2 "))
    }

    @Test("A body over the limit gets 413, which the client can read before it has sent everything")
    func tooLarge() async throws {
        try await withServer(limits: quickLimits, handler: describe) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send(
                "PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n" + String(repeating: "x", count: 3_000_000))
            let text = try await client.readToEnd()
            #expect(statuses(text) == ["413"])
            #expect(text.contains("Connection: close"))
        }
    }

    @Test("A chunked body over the limit gets 413")
    func tooLargeChunked() async throws {
        let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
        let text = try await exchange(
            "PUT /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: 20))
        #expect(statuses(text) == ["413"])
    }

    @Test("A small unread body is skipped, and the connection continues")
    func unread() async throws {
        let text = try await exchange(
            "PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloGET /y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        ) { request, _ in plain("at \(request.head.path ?? "")", .unauthorized) }
        #expect(statuses(text) == ["401", "401"])
    }

    @Test("A body with another length than announced ends the connection", arguments: [3, 7])
    func wrongLength(length: Int) async throws {
        let text = try await exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody(contentLength: 5) { writer in
                    try await writer.write(ByteBuffer(string: String(repeating: "x", count: length)))
                    try await writer.finish(nil)
                })
        }
        #expect(!text.hasSuffix("xxxxx"))
    }

    @Test("Only the server sets the headers that frame the response")
    func ownHeaders() async throws {
        let text = try await exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") { _, _ in
            Response(
                status: .ok, headers: [.transferEncoding: "chunked", .connection: "x", .upgrade: "x"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "ok")))
        }
        #expect(!text.contains("chunked") && !text.contains("x\r\n"))
        #expect(text.hasSuffix("\r\n\r\nok"))
    }

    @Test("A route can set the server's name and the date, or leave them out, to relay another server's response")
    func relayedHeaders() async throws {
        for (name, date) in [("Old/1.0", "Mon, 01 Jan 2018 00:00:00 GMT"), ("", "")] {
            let text = try await exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") { _, _ in
                Response(
                    status: .ok, headers: [.server: name, .date: date], body: ResponseBody(byteBuffer: ByteBuffer(string: "ok")))
            }
            let lines = text.split(separator: "\r\n").filter { $0.hasPrefix("Server:") || $0.hasPrefix("Date:") }
            #expect(lines == (name.isEmpty ? [] : ["Server: \(name)", "Date: \(date)"]))
        }
    }

    @Test("A route can end the connection after its response")
    func closing() async throws {
        let text = try await exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n") { _, _ in
            Response(status: .ok, headers: [.connection: "close"], body: ResponseBody(byteBuffer: ByteBuffer(string: "ok")))
        }
        #expect(statuses(text) == ["200"] && text.contains("Connection: close\r\n"))
    }
}
