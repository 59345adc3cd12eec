import Compression
import Documents
import Gateway
import HTTP
import Testing

@Suite("Requests as raw bytes")
struct RawRequestTests {
    private let serverName = "Couchbase Sync Gateway/3.2 (Dualgauge "

    @Test("One connection serves one request after the other, and pipelined ones")
    func pipelining() async throws {
        try await RunningBridge.run { bridge in
            let socket = try bridge.connect()
            #expect(try await socket.ask("PUT", "/shop/a", "{\"n\":1}").status == 201)
            #expect(try await socket.ask("GET", "/shop/a").status == 200)
            try await socket.send(
                "GET /shop/a HTTP/1.1\r\nHost: a\r\n\r\nGET /shop/b HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await socket.answer().status == 200)
            #expect(try await socket.answer().status == 404)
            #expect(try await socket.answer().text.contains("Welcome"))
            socket.cut()
        }
    }

    @Test("Every reply has the server's name, also errors and refusals of malformed requests")
    func serverHeader() async throws {
        try await RunningBridge.run { bridge in
            for path in ["/", "/shop/", "/nowhere/", "/shop/nothing", "/shop/_blipsync", "/shop/%zz", "/_ping", "/_nothing", "/shop.a.b/"] {
                let answer = try await bridge.ask("GET", path)
                #expect(answer["Server"]?.hasPrefix(serverName) == true, "\(path): \(answer.head)")
            }
            for bytes in [
                "NONSENSE\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nBad Header\r\n\r\n",
                "POST /shop/_bulk_docs HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
            ] {
                let socket = try bridge.connect()
                try await socket.send(bytes)
                let text = String(decoding: try await socket.readToEnd(), as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 400"), "\(text)")
                #expect(RawAnswer.header("Server", of: text)?.hasPrefix(serverName) == true)
            }
            #expect(try await bridge.ask("GET", "/").status == 200)
        }
    }

    @Test("Raw brackets, as .NET sends them, and an unescaped slash in an ID are accepted")
    func rawPaths() async throws {
        try await RunningBridge.run { bridge in
            #expect(try await bridge.ask("PUT", "/shop/a%2Fb", "{\"n\":1}").status == 201)
            let answer = try await bridge.ask("GET", "/shop/a%2Fb?open_revs=[\"1-abc\"]&revs=true", headers: "Accept: application/json\r\n")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.text.contains("missing"))
            #expect(try await bridge.ask("GET", "/shop/a%2fb").status == 200)
            #expect(try await bridge.ask("GET", "/shop/_local/x/y").status == 404)
        }
    }

    @Test("Requests of Java are accepted: gzip wanted, keep-alive, an empty Cookie")
    func java() async throws {
        try await RunningBridge.run { bridge in
            let headers =
                "User-Agent: CouchbaseLite/1.4 (Java Linux)\r\nAccept: application/json\r\nConnection: Keep-Alive\r\nCookie: \r\nAccept-Encoding: gzip\r\n"
            let answer = try await bridge.ask("POST", "/shop/_revs_diff", "{\"a\":[\"1-abc\"]}", headers: headers)
            #expect(answer.status == 200, "\(answer.head)")
            #expect(try await bridge.ask("GET", "/shop/_local/x", headers: "Cookie:\r\n").status == 404)
        }
    }

    @Test("Expect: 100-continue is answered before the body arrives")
    func expectContinue() async throws {
        try await RunningBridge.run { bridge in
            let socket = try bridge.connect()
            try await socket.send(
                "PUT /shop/a HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 7\r\n\r\n")
            #expect(try await socket.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try await socket.send("{\"n\":1}")
            #expect(try await socket.answer().status == 201)
            socket.cut()
        }
    }

    @Test("A compressed body is decompressed, and a damaged one is refused")
    func gzip() async throws {
        try await RunningBridge.run { bridge in
            let body = try Deflater().write(Array("{\"docs\":[{\"_id\":\"z\",\"n\":1}]}".utf8), flush: .finish)
            let socket = try bridge.connect()
            let head = "POST /shop/_bulk_docs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
            try await socket.send(Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body)
            #expect(try await socket.answer().status == 201)
            socket.cut()
            #expect(try await bridge.ask("GET", "/shop/z").status == 200)
            let broken = try bridge.connect()
            try await broken.send("\(head)Content-Length: 2\r\n\r\n{}")
            #expect(try await broken.answer().status == 400)
            broken.cut()
        }
    }

    @Test("Databases, collections and keyspaces are found by their names")
    func keyspaces() async throws {
        try await RunningBridge.run { bridge in
            #expect(try await bridge.ask("PUT", "/shop/o1", "{\"type\":\"order\"}").status == 201)
            #expect(try await bridge.ask("PUT", "/shop/n1", "{\"type\":\"note\"}").status == 201)
            for (path, status) in [
                ("/shop/", 200), ("/shop", 200), ("/shop.sales.orders/", 200), ("/shop._default._default/", 200), ("/nowhere/", 404),
                ("/shop.sales.gone/", 404), ("/shop.a.b.c/", 404), ("/shop./", 404), ("/shop.sales.orders/o1", 200),
                ("/shop.sales.orders/n1", 404), ("/shop._default._default/n1", 200), ("/shop._default._default/o1", 404), ("/shop/o1", 200),
                ("/shop/n1", 200),
            ] {
                let answer = try await bridge.ask("GET", path)
                #expect(answer.status == status, "\(path): \(answer.text)")
                if status == 404 { #expect(try answer.json["error"]?.string == "not_found") }
            }
        }
    }

    @Test("Without guests every request but the root's needs a Basic login")
    func guestsOff() async throws {
        try await RunningBridge.run({ $0.guest.isEnabled = false }) { bridge in
            for path in ["/shop/", "/shop/_changes", "/shop.sales.orders/", "/shop/_blipsync"] {
                let answer = try await bridge.ask("GET", path)
                #expect(answer.status == 401)
                #expect(answer["WWW-Authenticate"]?.hasPrefix("Basic ") == true)
            }
            #expect(try await bridge.ask("GET", "/").status == 200)
        }
    }
}
