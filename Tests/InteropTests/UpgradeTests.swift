import BLIP
import Documents
import Gateway
import Testing

@Suite("Upgrades to WebSocket on the shared port")
struct UpgradeTests {
    @Test(
        "The 101 reply has the accept key, the chosen subprotocol, and no header that LiteCore refuses",
        arguments: [
            ("BLIP_3+CBMobile_3", "BLIP_3+CBMobile_3"), ("BLIP_3+CBMobile_2", "BLIP_3+CBMobile_2"),
            ("BLIP_3+CBMobile_3,BLIP_3+CBMobile_2", "BLIP_3+CBMobile_3"),
            ("BLIP_3+CBMobile_4, BLIP_3+CBMobile_3, BLIP_3+CBMobile_2", "BLIP_3+CBMobile_4"), ("BLIP_3+CBMobile_4", "BLIP_3+CBMobile_4"),
            ("BLIP_3+CBMobile_3,BLIP_3+CBMobile_4", "BLIP_3+CBMobile_3"),
            ("BLIP_3+CBMobile_2,BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"),
        ])
    func accepted(offer: String, chosen: String) async throws {
        try await RunningBridge.run { bridge in
            let socket = try bridge.connect()
            try await socket.send(RawWebSocket.request(subprotocols: offer, headers: "Sec-WebSocket-Extensions: permessage-deflate\r\n"))
            let head = try await socket.read(until: "\r\n\r\n")
            #expect(head.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"), "\(head)")
            #expect(head.contains(/X-Correlation-Id: [0-9a-f]{1,16}\r\n/), "\(head)")
            for (name, value) in [
                ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Accept", RawWebSocket.accept),
                ("Sec-WebSocket-Protocol", chosen),
            ] {
                #expect(RawAnswer.header(name, of: head) == value, "\(head)")
                #expect(head.lowercased().split(separator: "\r\n").count { $0.hasPrefix(name.lowercased() + ":") } == 1, "\(head)")
            }
            for name in ["Content-Length", "Transfer-Encoding", "Sec-WebSocket-Extensions"] {
                #expect(RawAnswer.header(name, of: head) == nil, "\(head)")
            }
            #expect(RawAnswer.header("Server", of: head)?.hasPrefix("Couchbase Sync Gateway/3.") == true)
            socket.cut()
        }
    }

    @Test("The case and the order of headers do not matter, nor other tokens of Connection")
    func spellings() async throws {
        try await RunningBridge.run { bridge in
            for headers in [
                "CONNECTION: keep-alive, Upgrade\r\nupgrade: WebSocket\r\nsec-websocket-key: \(RawWebSocket.key)\r\nSEC-WEBSOCKET-VERSION: 13\r\nsec-websocket-protocol: BLIP_3+CBMobile_2\r\n",
                "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: other\r\nSec-WebSocket-Protocol: BLIP_3+CBMobile_3\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(RawWebSocket.key)\r\n",
            ] {
                let socket = try bridge.connect()
                try await socket.send("GET /shop/_blipsync HTTP/1.1\r\nHost: a\r\n\(headers)\r\n")
                #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
                socket.cut()
            }
        }
    }

    static let refused: [(what: String, request: String, status: Int, headers: [String: String])] = [
        ("a plain request", "GET /shop/_blipsync HTTP/1.1\r\nHost: a\r\n\r\n", 426, ["Upgrade": "websocket"]),
        ("a POST", RawWebSocket.request().replacing("GET", with: "POST"), 426, ["Upgrade": "websocket"]),
        ("HTTP/1.0", RawWebSocket.request().replacing("HTTP/1.1", with: "HTTP/1.0"), 426, ["Upgrade": "websocket"]),
        ("no Upgrade", RawWebSocket.request().replacing("Upgrade: websocket\r\n", with: ""), 426, ["Upgrade": "websocket"]),
        ("another protocol", RawWebSocket.request().replacing("Upgrade: websocket", with: "Upgrade: h2c"), 426, ["Upgrade": "websocket"]),
        ("no Connection", RawWebSocket.request().replacing("Connection: Upgrade\r\n", with: ""), 426, ["Upgrade": "websocket"]),
        (
            "another version", RawWebSocket.request().replacing("Version: 13", with: "Version: 8"), 426,
            ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"]
        ),
        ("no version", RawWebSocket.request().replacing("Sec-WebSocket-Version: 13\r\n", with: ""), 426, ["Sec-WebSocket-Version": "13"]),
        ("no key", RawWebSocket.request().replacing("Sec-WebSocket-Key: \(RawWebSocket.key)\r\n", with: ""), 400, [:]),
        ("a short key", RawWebSocket.request().replacing(RawWebSocket.key, with: "c2hvcnQ="), 400, [:]),
        ("a key that is no base64", RawWebSocket.request().replacing(RawWebSocket.key, with: "!!!!!!!!!!!!!!!!!!!!!!!!"), 400, [:]),
        ("two keys", RawWebSocket.request(headers: "Sec-WebSocket-Key: \(RawWebSocket.key)\r\n"), 400, [:]),
        ("a subprotocol from before", RawWebSocket.request(subprotocols: "BLIP_3+CBMobile_1"), 500, [:]),
        ("no subprotocol", RawWebSocket.request().replacing("Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\r\n", with: ""), 500, [:]),
        ("another database", RawWebSocket.request("/nowhere/_blipsync"), 404, [:]),
        ("a collection", RawWebSocket.request("/shop.sales.orders/_blipsync"), 404, [:]),
        ("a path below", RawWebSocket.request("/shop/_blipsync/x"), 404, [:]),
        ("a document", RawWebSocket.request("/shop/doc"), 404, [:]),
        ("the root", RawWebSocket.request("/"), 200, [:]),
    ]

    @Test("An invalid upgrade gets an HTTP reply, and the connection goes on with HTTP")
    func refusals() async throws {
        try await RunningBridge.run { bridge in
            for (what, request, status, headers) in Self.refused {
                let socket = try bridge.connect()
                try await socket.send(request)
                let answer = try await socket.answer()
                #expect(answer.status == status, "\(what): \(answer.head)\(answer.text)")
                for (name, value) in headers { #expect(answer[name] == value, "\(what): \(answer.head)") }
                #expect(answer["Sec-WebSocket-Accept"] == nil && answer["Sec-WebSocket-Protocol"] == nil, "\(what)")
                if status >= 400 { #expect(try answer.json["reason"]?.string?.isEmpty == false, "\(what): \(answer.text)") }
                if !request.contains("HTTP/1.0") {
                    #expect(try await socket.ask("GET", "/").status == 200, "\(what): the connection goes on")
                    try await socket.send(RawWebSocket.request())
                    #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "), "\(what): and can still upgrade")
                }
                socket.cut()
            }
            try await bridge.expectSound(after: "refused upgrades")
        }
    }

    @Test("Without guests an upgrade gets 401 before any other error")
    func login() async throws {
        try await RunningBridge.run({ $0.guest.isEnabled = false }) { bridge in
            for request in [
                RawWebSocket.request(), RawWebSocket.request(subprotocols: "odd"),
                RawWebSocket.request(headers: "Authorization: Basic !!!\r\n"),
            ] {
                let socket = try bridge.connect()
                try await socket.send(request)
                let answer = try await socket.answer()
                #expect(answer.status == 401)
                // LiteCore passes the name to apps unchanged.
                #expect(answer.head.contains("\r\nWww-Authenticate: Basic realm=\"Couchbase Sync Gateway\"\r\n"))
                socket.cut()
            }
        }
    }

    @Test("One connection carries requests, a pipelined upgrade, and messages that follow it at once")
    func keepAlive() async throws {
        try await RunningBridge.run { bridge in
            let socket = try bridge.connect()
            #expect(try await socket.ask("PUT", "/shop/a", "{\"n\":1}").status == 201)
            #expect(try await socket.ask("GET", "/shop/a").status == 200)
            let frames = try RawBLIP.frames(of: .request("getCheckpoint", properties: ["client": "cp"])).flatMap { RawWebSocket.frame($0) }
            try await socket.send(Array("GET /shop/a HTTP/1.1\r\nHost: a\r\n\r\n\(RawWebSocket.request())".utf8) + frames)
            #expect(try await socket.answer().status == 200)
            #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
            let reply = try await RawWebSocket(socket).next()
            #expect(reply?.opcode == 2 && reply?.payload.starts(with: [1, 2]) == true, "an error reply to request 1")
            socket.cut()
        }
    }
}
