import Documents
import Testing

@Suite("Malformed HTTP")
struct HTTPFaultTests {
    static let requests: [(what: String, bytes: String, status: Int)] = [
        ("no request line", "\r\nNONSENSE\r\n\r\n", 400),
        ("no version", "GET /\r\nHost: a\r\n\r\n", 400),
        ("another protocol", "GET / SIP/2.0\r\nHost: a\r\n\r\n", 400),
        ("a method of odd characters", "G@T / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("a method that nobody knows", "FETCH / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("a space in the target", "GET /shop/a b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("no Host", "GET / HTTP/1.1\r\n\r\n", 400),
        ("two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("a header without a colon", "GET / HTTP/1.1\r\nHost: a\r\nBad\r\n\r\n", 400),
        ("a space before the colon", "GET / HTTP/1.1\r\nHost: a\r\nBad : b\r\n\r\n", 400),
        ("a NUL in a header", "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n", 400),
        (
            "a length and chunks together",
            "POST /shop/_bulk_docs HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400
        ),
        (
            "chunks and a length together",
            "POST /shop/_bulk_docs HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400
        ),
        ("two lengths", "POST /shop/_bulk_docs HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} ", 400),
        ("a negative length", "POST /shop/_bulk_docs HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
        ("a length of letters", "POST /shop/_bulk_docs HTTP/1.1\r\nHost: a\r\nContent-Length: two\r\n\r\n{}", 400),
        ("a length beyond all numbers", "POST /shop/_bulk_docs HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n{}", 400),
        ("a transfer encoding that is none", "POST /shop/_bulk_docs HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: odd\r\n\r\n", 501),
        (
            "a chunk of no size",
            "POST /shop/_bulk_docs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n",
            400
        ),
        ("too many headers", "GET / HTTP/1.1\r\nHost: a\r\n" + (0..<300).map { "X-\($0): 1\r\n" }.joined() + "\r\n", 431),
        ("a header over the limit", "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 70_000))\r\n\r\n", 431),
        ("a target over the limit", "GET /shop/\(String(repeating: "x", count: 70_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 431),
    ]

    @Test("A malformed request is answered in JSON, and its connection ends")
    func requests() async throws {
        try await RunningBridge.run { bridge in
            for (what, bytes, status) in Self.requests {
                let socket = try bridge.connect()
                try await socket.send(bytes)
                let answer = try await socket.answer()
                #expect(answer.status == status, "\(what): \(answer.head)")
                #expect(answer["Connection"] == "close", "\(what): \(answer.head)")
                #expect(answer["Content-Type"] == "application/json", "\(what)")
                #expect(answer["Server"]?.hasPrefix("Couchbase Sync Gateway/") == true, "\(what)")
                #expect(try answer.json["error"]?.string?.isEmpty == false, "\(what)")
                #expect(try answer.json["reason"]?.string?.isEmpty == false, "\(what)")
                // A smuggled second request would be answered here.
                #expect(try await socket.readToEnd().isEmpty, "\(what)")
            }
            try await bridge.expectSound(after: "malformed requests")
        }
    }

    @Test("A request smuggled behind a request with two lengths is never served")
    func smuggling() async throws {
        try await RunningBridge.run { bridge in
            let socket = try bridge.connect()
            let inner = "PUT /shop/smuggled HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
            try await socket.send(
                "POST /shop/_revs_diff HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "2\r\n{}\r\n0\r\n\r\n\(inner)")
            #expect(try await socket.answer().status == 400)
            #expect(try await socket.readToEnd().isEmpty)
            #expect(try await bridge.ask("GET", "/shop/smuggled").status == 404)
        }
    }

    @Test("Nothing is left of a client that disconnects in the middle of a head or a body")
    func leaving() async throws {
        try await RunningBridge.run { bridge in
            for bytes in [
                "", "GET /shop", "PUT /shop/d HTTP/1.1\r\nHost: a\r\nContent-Le",
                "PUT /shop/d HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{\"a\"",
            ] {
                let socket = try bridge.connect()
                try await socket.send(bytes)
                socket.closeOutput()
                _ = try await socket.readToEnd()
            }
            #expect(try await bridge.ask("GET", "/shop/d").status == 404)
            try await bridge.expectSound(after: "clients that left")
        }
    }
}
