import BridgeConfiguration
import Documents
import TestSupport
import Testing

@Suite("Requests that are passed on to the old server, byte by byte", .timeLimit(.minutes(2)))
struct PassThroughTests {
    @Test("The target stays as it came but for the database's name, the header fields but for those of the connection")
    func request() async throws {
        try await PassThroughWorld.run { world in
            let (client, server, head) = try await world.exchange(
                """
                GET /shop/a%2Fb%20c?rev=1-a&x=%22y%22 HTTP/1.1\r
                Host: old.example.com:4984\r
                X-First: 1\r
                Connection: keep-alive, X-Hop\r
                X-Hop: 2\r
                Cookie: SyncGatewaySession=abc; other=d\r
                authorization: Basic YTpi\r
                Accept-Encoding: gzip\r
                X-Forwarded-For: 9.9.9.9\r
                \r

                """)
            let lines = head.split(separator: "\r\n").map(String.init)
            #expect(lines.first == "GET /stock/a%2Fb%20c?rev=1-a&x=%22y%22 HTTP/1.1")
            #expect(lines.contains("Host: old.example.com:4984"))
            #expect(lines.contains("X-First: 1") && lines.contains("authorization: Basic YTpi") && lines.contains("Accept-Encoding: gzip"))
            #expect(lines.contains("Cookie: SyncGatewaySession=abc; other=d"))
            #expect(lines.filter { $0.lowercased().hasPrefix("x-forwarded-for:") } == ["X-Forwarded-For: 127.0.0.1"])
            #expect(lines.contains("X-Forwarded-Proto: http") && lines.contains("X-Forwarded-Host: old.example.com:4984"))
            #expect(!head.lowercased().contains("x-hop"))
            try await server.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            #expect(try await client.answer().text == "{}")
        }
    }

    @Test("Status, header fields and body come back as they are: no other name, no compression, no CORS")
    func response() async throws {
        try await PassThroughWorld.run { world in
            let body = "{\"text\":\"" + String(repeating: "a", count: 5_000) + "\"}\n"
            let (client, server, _) = try await world.exchange(
                "GET /shop/a HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nOrigin: http://page\r\n\r\n")
            let fields = """
                Server: Couchbase Sync Gateway/1.5.1\r
                Date: Mon, 01 Jan 2018 00:00:00 GMT\r
                Set-Cookie: a=1; Path=/stock\r
                Set-Cookie: b=2\r
                eTag: "1-a"\r
                Content-Type: application/json\r

                """
            try await server.send(
                "HTTP/1.1 413 Request Entity Too Large\r\n\(fields)Connection: keep-alive\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            let answer = try await client.answer()
            #expect(answer.text == body)
            #expect(answer.head == "HTTP/1.1 413 Request Entity Too Large\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n")
        }
    }

    @Test("A server without a name and a date gets none")
    func nameless() async throws {
        try await PassThroughWorld.run { world in
            let (client, server, _) = try await world.exchange("GET /shop/ HTTP/1.1\r\nHost: a\r\n\r\n")
            try await server.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            #expect(try await client.answer().head == "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        }
    }

    @Test("Every row of a feed arrives when it is sent; so does the feed's end")
    func streaming() async throws {
        try await PassThroughWorld.run { world in
            let (client, server, _) = try await world.exchange("GET /shop/_changes?feed=continuous HTTP/1.1\r\nHost: a\r\n\r\n")
            try await server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            _ = try await client.read(until: "\r\n\r\n")
            for row in ["{\"seq\":1}\n", "\n", "{\"seq\":2}\n"] {
                try await server.send("\(String(row.utf8.count, radix: 16))\r\n\(row)\r\n")
                #expect(try await client.chunk() == Array(row.utf8))
            }
            try await server.send("0\r\n\r\n")
            #expect(try await client.chunk() == nil)
        }
    }

    @Test("A body is passed on while it arrives: with its length, and in chunks")
    func upload() async throws {
        try await PassThroughWorld.run { world in
            let (client, server, head) = try await world.exchange(
                "PUT /shop/a/b HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n\r\nabc")
            #expect(RawAnswer.header("Content-Length", of: head) == "6" && RawAnswer.header("Content-Encoding", of: head) == "gzip")
            #expect(try await server.read(count: 3) == Array("abc".utf8))
            try await client.send("def")
            #expect(try await server.read(count: 3) == Array("def".utf8))
            try await server.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
            #expect(try await client.answer().status == 201)

            try await client.send("POST /shop/_bulk_docs HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            let second = try await server.read(until: "\r\n\r\n")
            #expect(second.hasPrefix("POST /stock/_bulk_docs ") && RawAnswer.header("Transfer-Encoding", of: second) == "chunked")
            #expect(try await server.chunk() == Array("abc".utf8))
            try await client.send("0\r\n\r\n")
            #expect(try await server.chunk() == nil)
            try await server.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
            #expect(try await client.answer().status == 201)
        }
    }

    @Test("A client that expects 100 gets it, and the old server gets the body")
    func expectation() async throws {
        try await PassThroughWorld.run { world in
            let (client, server, head) = try await world.exchange(
                "PUT /shop/a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(!head.lowercased().contains("expect"))
            #expect(try await client.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.send("{}")
            #expect(try await server.read(count: 2) == Array("{}".utf8))
            try await server.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
            #expect(try await client.answer().status == 201)
        }
    }

    @Test("An answer before the whole body has arrived ends the connection, so that the rest is not taken for a request")
    func early() async throws {
        try await PassThroughWorld.run { world in
            let (client, server, _) = try await world.exchange(
                "PUT /shop/a HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc")
            try await server.send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}")
            let answer = try await client.answer()
            #expect(answer.status == 413 && answer.text == "{}" && answer["Connection"] == "close")
            #expect(try await client.readToEnd() == [])
        }
    }

    @Test("A request whose body was read keeps the client's connection, also if the response begins at once")
    func keepsConnection() async throws {
        try await CutoverWorld.run {
            $0.devices = DevicesConfiguration()
        } _: { world in
            let client = try world.new.connect()
            for _ in 0..<300 {
                try await client.send(
                    "POST /shop/_revs_diff HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
                let answer = try await client.answer()
                try #require(answer.status == 200 && answer["Connection"] == nil)
            }
        }
    }

    @Test("HEAD keeps the length of the body that it leaves out")
    func head() async throws {
        try await PassThroughWorld.run { world in
            let (client, server, head) = try await world.exchange("HEAD /shop/a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(head.hasPrefix("HEAD /stock/a "))
            try await server.send("HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n")
            #expect(try await client.answer(toHead: true)["Content-Length"] == "12345")
            try await client.send("HEAD /shop/b HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await server.read(until: "\r\n\r\n")
            try await server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            #expect(try await client.answer(toHead: true)["Content-Length"] == nil)
        }
    }

    @Test(
        "Methods and paths that the bridge does not have are the old server's, also outside the database",
        arguments: [
            ("COPY /shop/a", "COPY /stock/a"), ("OPTIONS /shop/a", "OPTIONS /stock/a"),
            ("DELETE /shop/_design/x", "DELETE /stock/_design/x"),
            ("GET /shop/_design/x/_view/y?startkey=%5B1%5D", "GET /stock/_design/x/_view/y?startkey=%5B1%5D"), ("GET /", "GET /"),
            ("GET /_session", "GET /_session"), ("GET /other/doc", "GET /other/doc"), ("POST /shop/_session", "POST /stock/_session"),
        ])
    func everything(sent: String, received: String) async throws {
        try await PassThroughWorld.run { world in
            let (client, server, head) = try await world.exchange("\(sent) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            #expect(head.hasPrefix("\(received) HTTP/1.1\r\n"), "\(head)")
            try await server.send("HTTP/1.1 299 Mine\r\nContent-Length: 0\r\n\r\n")
            #expect(try await client.answer().status == 299)
        }
    }

    @Test("A server that ends in the middle of a body ends the client's connection without the body's end")
    func cutOff() async throws {
        try await PassThroughWorld.run { world in
            let (client, server, _) = try await world.exchange("GET /shop/_changes HTTP/1.1\r\nHost: a\r\n\r\n")
            try await server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[\n\r\n")
            _ = try await client.read(until: "\r\n\r\n")
            #expect(try await client.chunk() == Array("[\n".utf8))
            server.cut()
            #expect(try await client.readToEnd() == [])
        }
    }

    @Test("A client that leaves ends the request to the old server")
    func abandoned() async throws {
        try await PassThroughWorld.run { world in
            let (client, server, _) = try await world.exchange("GET /shop/_changes?feed=longpoll HTTP/1.1\r\nHost: a\r\n\r\n")
            client.cut()
            #expect(try await server.readToEnd() == [])
        }
    }

    @Test("A connection that the old server has closed while it was idle is replaced")
    func staleConnection() async throws {
        try await PassThroughWorld.run { world in
            let (client, server, _) = try await world.exchange("GET /shop/a HTTP/1.1\r\nHost: a\r\n\r\n")
            try await server.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            #expect(try await client.answer().status == 200)
            try await client.send("GET /shop/b HTTP/1.1\r\nHost: a\r\n\r\n")
            // The server reads the request and closes the connection instead of an answer, as if it had closed before.
            _ = try await server.read(until: "\r\n\r\n")
            server.cut()
            let next = try await world.old.accept()
            #expect(try await next.read(until: "\r\n\r\n").hasPrefix("GET /stock/b "))
            try await next.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            #expect(try await client.answer().status == 200)
        }
    }

    @Test("A body that cannot be read is the client's fault, not the old server's")
    func damagedBody() async throws {
        try await PassThroughWorld.run { world in
            let client = try world.bridge.connect()
            try await client.send("PUT /shop/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n")
            #expect(try await client.answer().status == 400)
        }
    }

    @Test("An old server that is down is 503, at once")
    func down() async throws {
        try await PassThroughWorld.run(down: true) { world in
            for path in ["/shop/a", "/"] {
                let answer = try await world.bridge.ask("GET", path)
                let error = try answer.json["error"]?.string
                #expect(answer.status == 503 && error == "Service Unavailable")
            }
        }
    }
}

@Suite("WebSockets that are passed on to the old server", .timeLimit(.minutes(2)))
struct TunnelTests {
    static let request = """
        GET /shop/_blipsync HTTP/1.1\r
        Host: a\r
        Connection: Upgrade\r
        Upgrade: websocket\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r
        Sec-WebSocket-Protocol: BLIP_3+CBMobile_2\r
        \r

        """

    @Test("An accepted WebSocket is a tunnel: the server's own handshake, and all bytes in both directions, also those behind the head")
    func accepted() async throws {
        try await PassThroughWorld.run { world in
            let (client, server, head) = try await world.exchange(Self.request)
            #expect(head.hasPrefix("GET /stock/_blipsync HTTP/1.1\r\n"))
            #expect(RawAnswer.header("Upgrade", of: head) == "websocket" && RawAnswer.header("Connection", of: head) == "Upgrade")
            #expect(RawAnswer.header("Sec-WebSocket-Key", of: head) == "AAAAAAAAAAAAAAAAAAAAAA==")
            #expect(RawAnswer.header("Sec-WebSocket-Protocol", of: head) == "BLIP_3+CBMobile_2")
            try await server.send(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: xyz\r\nServer: Old\r\n\r\nfirst"
            )
            let answer = try await client.read(until: "\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 101 "))
            #expect(RawAnswer.header("Sec-WebSocket-Accept", of: answer) == "xyz" && RawAnswer.header("Server", of: answer) == "Old")
            #expect(try await client.read(count: 5) == Array("first".utf8))
            for _ in 0..<3 {
                try await client.send("ping")
                #expect(try await server.read(count: 4) == Array("ping".utf8))
                try await server.send("pong")
                #expect(try await client.read(count: 4) == Array("pong".utf8))
            }
            let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            async let received = server.read(count: large.count)
            try await client.send(large)
            #expect(try await received == large)
        }
    }

    @Test("The end of one side is the end of the other", arguments: [true, false])
    func end(byClient: Bool) async throws {
        try await PassThroughWorld.run { world in
            let (client, server, _) = try await world.exchange(Self.request)
            try await server.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
            _ = try await client.read(until: "\r\n\r\n")
            let (leaving, staying) = byClient ? (client, server) : (server, client)
            try await leaving.send("last")
            leaving.closeOutput()
            #expect(try await staying.readToEnd() == Array("last".utf8))
        }
    }

    @Test("A refusal is passed on as it is, and the connection can be used again")
    func refused() async throws {
        try await PassThroughWorld.run { world in
            let (client, server, _) = try await world.exchange(Self.request)
            try await server.send("HTTP/1.1 401 Unauthorized\r\nServer: Old\r\nContent-Length: 11\r\n\r\n{\"error\":1}")
            let answer = try await client.answer()
            #expect(answer.status == 401 && answer.text == "{\"error\":1}" && answer["Server"] == "Old")
            try await client.send("GET /shop/a HTTP/1.1\r\nHost: a\r\n\r\n")
            let next = try await world.old.accept()
            #expect(try await next.read(until: "\r\n\r\n").hasPrefix("GET /stock/a "))
        }
    }
}
