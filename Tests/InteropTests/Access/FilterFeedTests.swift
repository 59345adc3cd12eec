import BLIP
import Documents
import Gateway
import HTTP
import Testing

/// Filter functions of design documents over every kind of feed.
@Suite("Filter functions", .serialized)
struct FilterFeedTests {
    private func run(_ filters: [String: String] = [:], _ body: @Sendable (RunningBridge) async throws -> Void) async throws {
        let members =
            filters.map { "\"\($0.key)\":\"\($0.value)\"" } + [
                #""byOwner":"function (doc, req) { return doc.owner == req.query.owner }""#
            ]
        try await RunningBridge.run { bridge in
            let design = "{\"filters\":{\(members.joined(separator: ","))}}"
            #expect(try await bridge.admin("PUT", "/shop/_design/app", design).status == 201)
            for (id, owner) in [("1", "Waldo"), ("2", "Anna"), ("3", "Waldo"), ("4", "Anna")] {
                #expect(try await bridge.ask("PUT", "/shop/\(id)", "{\"owner\":\"\(owner)\",\"type\":\"order\"}").status == 201)
            }
            try await body(bridge)
        }
    }

    private func ids(_ answer: RawAnswer) throws -> [String] {
        try answer.json["results"]?.array?.compactMap { $0["id"]?.string } ?? []
    }

    @Test(
        "Filters work in normal and longpoll feeds, by GET and POST, of the database and of a collection",
        arguments: ["shop", "shop.sales.orders"], ["normal", "longpoll"])
    func normal(_ keyspace: String, _ feed: String) async throws {
        try await run { bridge in
            for query in ["owner=Waldo", "owner=%22Waldo%22"] {
                let answer = try await bridge.ask("GET", "/\(keyspace)/_changes?feed=\(feed)&filter=app/byOwner&\(query)")
                #expect(try ids(answer) == ["1", "3"], "\(answer.text)")
            }
            let body = #"{"feed":"\#(feed)","filter":"app/byOwner","owner":"Anna","style":"all_docs"}"#
            let all = try await bridge.ask("POST", "/\(keyspace)/_changes", body)
            #expect(try ids(all) == ["2", "4"])
            // Filtered rows also advance the position.
            let last = try #require(try await bridge.ask("GET", "/\(keyspace)/_changes?filter=app/byOwner&owner=nobody").json["last_seq"])
            #expect(last == (try await bridge.ask("GET", "/\(keyspace)/_changes").json["last_seq"]))
            let limited = try await bridge.ask("GET", "/\(keyspace)/_changes?filter=app/byOwner&owner=Anna&limit=1&include_docs=true")
            #expect(try ids(limited) == ["2"])
            #expect(try limited.json["results"]?.array?.first?["doc"]?["owner"]?.string == "Anna")
            let next = "/\(keyspace)/_changes?filter=app/byOwner&owner=Anna&since=\(try limited.json["last_seq"]?.string ?? "")"
            #expect(try ids(try await bridge.ask("GET", next)) == ["4"])
            let back = try await bridge.ask("GET", "/\(keyspace)/_changes?filter=app/byOwner&owner=Waldo&descending=true&limit=1")
            #expect(try ids(back) == ["3"])
        }
    }

    @Test(
        "A filter of the configuration is found by its name, in every feed", arguments: ["normal", "longpoll", "websocket", "continuous"])
    func configured(_ feed: String) async throws {
        let source = "function (doc, req) { return doc.owner === req.query.owner }"
        try await RunningBridge.run({ $0.filters = ["byOwner": source, "app/own": source] }) { (bridge) async throws in
            for (id, owner) in [("1", "Waldo"), ("2", "Anna")] {
                #expect(try await bridge.ask("PUT", "/shop/\(id)", "{\"owner\":\"\(owner)\"}").status == 201)
            }
            let socket = try bridge.connect()
            defer { socket.cut() }
            switch feed {
            case "websocket":
                try await socket.send(RawWebSocket.request("/shop/_changes?feed=websocket"))
                _ = try await socket.read(until: "\r\n\r\n")
                try await socket.send(RawWebSocket.frame(0x81, Array(#"{"filter":"byOwner","owner":"Anna"}"#.utf8)))
            default:
                try await socket.send("GET /shop/_changes?feed=\(feed)&filter=byOwner&owner=Anna HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try await socket.read(until: "\r\n\r\n")
            }
            let rows = try await socket.read(until: "\"id\":\"2\"")
            #expect(!rows.contains("\"id\":\"1\""))
            #expect(try ids(try await bridge.ask("GET", "/shop/_changes?filter=app/own&owner=Waldo")) == ["1"])
            #expect(try await bridge.ask("GET", "/shop/_changes?filter=byother").status == 400)
        }
    }

    @Test("A longpoll waits until a document passes the filter")
    func longpoll() async throws {
        try await run { bridge in
            let last = try await bridge.ask("GET", "/shop/_changes").json["last_seq"]?.string ?? ""
            let socket = try bridge.connect()
            defer { socket.cut() }
            try await socket.send(
                "GET /shop/_changes?feed=longpoll&heartbeat=60000&since=\(last)&filter=app/byOwner&owner=Waldo HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await socket.read(until: "\r\n\r\n")
            for (id, owner) in [("5", "Anna"), ("6", "Waldo")] {
                #expect(try await bridge.ask("PUT", "/shop/\(id)", "{\"owner\":\"\(owner)\"}").status == 201)
            }
            var body: [UInt8] = []
            while let chunk = try await socket.chunk() { body += chunk }
            #expect(try JSONValue(body)["results"]?.array?.compactMap { $0["id"]?.string } == ["6"])
        }
    }

    @Test("Filters work in continuous and WebSocket feeds")
    func continuous() async throws {
        try await run { bridge in
            let socket = try bridge.connect()
            defer { socket.cut() }
            try await socket.send("GET /shop/_changes?feed=continuous&filter=app/byOwner&owner=Waldo HTTP/1.1\r\nHost: a\r\n\r\n")
            let first = try await socket.read(until: "\"id\":\"3\"")
            #expect(first.contains("\"id\":\"1\"") && !first.contains("\"id\":\"2\""))
            for (id, owner) in [("5", "Anna"), ("6", "Waldo")] {
                #expect(try await bridge.ask("PUT", "/shop/\(id)", "{\"owner\":\"\(owner)\"}").status == 201)
            }
            #expect(try await !socket.read(until: "\"id\":\"6\"").contains("\"id\":\"5\""))

            let web = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(bridge.port)/shop/_changes?feed=websocket").connection
            defer { web.drop() }
            try await web.send([.text(#"{"feed":"websocket","filter":"app/byOwner","owner":"Anna"}"#)])
            let message = try #require(try await web.receive()?.first)
            #expect(try JSONValue(message.bytes).array?.compactMap { $0["id"]?.string } == ["2", "4", "5"])
        }
    }

    @Test("The function gets no headers, cookies or other parts of the request")
    func request() async throws {
        try await run(["spy": "function (doc, req) { throw JSON.stringify(req) }"]) { bridge in
            let headers = "Cookie: secret=1\r\nX-Secret: secret\r\n"
            let answer = try await bridge.ask("GET", "/shop/_changes?filter=app/spy&a=1", headers: headers)
            #expect(answer.status == 400)
            let reason = try #require(try answer.json["reason"]?.string)
            #expect(!reason.contains("secret"))
            #expect(reason.hasSuffix(#"{"query":{"a":1,"filter":"app/spy"},"userCtx":{"db":"shop","name":null,"roles":[]}}"#), "\(reason)")
        }
    }

    @Test(
        "A missing filter gets 404, a failing filter gets 400 with its error",
        arguments: [
            ("none/f", 404, "missing"), ("app/none", 404, "missing"), ("app/fails", 400, "undefined"), ("app/loops", 400, "app/loops"),
            ("app/broken", 400, "app/broken"), ("none", 400, "Unknown filter"),
        ])
    func failures(_ filter: String, _ status: Int, _ reason: String) async throws {
        let filters = [
            "fails": "function (doc) { return doc.a.b }", "loops": "function (doc) { while (true) {} }", "broken": "function (doc) {",
        ]
        try await run(filters) { bridge in
            let answer = try await bridge.ask("GET", "/shop/_changes?filter=\(filter)")
            #expect(answer.status == status)
            #expect(try answer.json["reason"]?.string?.contains(reason) == true, "\(answer.text)")
            if status == 404 { #expect(answer.text == #"{"error":"not_found","reason":"missing"}"#) }
            #expect(try await ids(bridge.ask("GET", "/shop/_changes?filter=app/byOwner&owner=Anna")) == ["2", "4"])
            try await bridge.expectSound(after: filter)
        }
    }

    @Test("Users may use filters, and get only documents that they may see; they neither write nor read design documents")
    func users() async throws {
        try await run { bridge in
            #expect(try await bridge.admin("PUT", "/shop/_user/anna", #"{"password":"pw1","admin_channels":["a"]}"#).status == 201)
            let headers = basic("anna", "pw1")
            for (id, channel) in [("5", "a"), ("6", "x")] {
                let body = "{\"owner\":\"Waldo\",\"channels\":[\"\(channel)\"]}"
                #expect(try await bridge.admin("PUT", "/shop/\(id)", body).status == 201)
            }
            #expect(try ids(try await bridge.ask("GET", "/shop/_changes?filter=app/byOwner&owner=Waldo", headers: headers)) == ["5"])
            #expect(try await bridge.ask("GET", "/shop/_design/app", headers: headers).status == 404)
            #expect(try await bridge.ask("GET", "/shop/_design/app").status == 200)
            for method in ["PUT", "DELETE"] {
                #expect(try await bridge.ask(method, "/shop/_design/app", method == "PUT" ? "{}" : "", headers: headers).status == 403)
            }
            let evil = #"{"_id":"_design/evil","filters":{}}"#
            #expect(try await bridge.ask("POST", "/shop/", evil, headers: headers).status == 403)
            let bulk = try await bridge.ask("POST", "/shop/_bulk_docs", "{\"docs\":[\(evil)]}", headers: headers)
            #expect(try bulk.json.array?.first?["status"]?.int == 403)
            #expect(try await bridge.ask("PUT", "/shop/x?new_edits=false", evil, headers: headers).status != 201)
            let blip = try await RawBLIP(bridge, headers: headers)
            defer { blip.socket.socket.cut() }
            let reply = try await blip.ask("rev", ["id": "_design/evil", "rev": "1-aa"], "{}")
            #expect(reply.errorCode == 400)
            #expect(try await bridge.admin("GET", "/shop/_design/evil").status == 404)
        }
    }

    @Test("Design documents are in 1.x feeds of users who see everything, and never in those of 2.x+ clients")
    func feeds() async throws {
        try await run { bridge in
            #expect(try ids(try await bridge.ask("GET", "/shop/_changes")).contains("_design/app"))
            #expect(try await Set(RawBLIP(bridge).pull().keys) == ["1", "2", "3", "4"])
            let filtered = try await RawBLIP(bridge).ask("subChanges", ["filter": "app/byOwner", "owner": "Waldo"])
            #expect(filtered.errorCode == 400)
        }
    }
}
