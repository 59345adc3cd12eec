import Documents
import Testing

/// Bodies that are not JSON, or have another shape than expected.
@Suite("Malformed bodies")
struct MalformedBodyTests {
    /// An endpoint with a body, and bodies of the wrong shape for it.
    struct Endpoint: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        let wrongTypes: [String]

        var testDescription: String { "\(method) \(path)" }
    }

    static let endpoints = [
        Endpoint(
            method: "PUT", path: "/shop/doc",
            wrongTypes: [
                "[]", "1", "null", "\"text\"", #"{"_id":1}"#, #"{"_rev":1}"#, #"{"_rev":"x"}"#, #"{"_deleted":"yes"}"#,
                #"{"_attachments":[]}"#,
                #"{"_attachments":{"a":1}}"#, #"{"_attachments":{"a":{"data":1}}}"#, #"{"_attachments":{"a":{}}}"#, #"{"_foo":1}"#,
                #"{"_revisions":1}"#, #"{"_revisions":{"start":1,"ids":[]}}"#, #"{"_revisions":{"start":"1","ids":["a"]}}"#,
            ]),
        Endpoint(method: "POST", path: "/shop/", wrongTypes: ["[]", "1", "null", #"{"_id":1}"#, #"{"_id":""}"#, #"{"_id":"_x"}"#]),
        Endpoint(
            method: "PUT", path: "/shop/doc?new_edits=false",
            wrongTypes: [
                "[]", "{}", #"{"_revisions":{"start":1,"ids":["a","b"]}}"#, #"{"_rev":"0-a"}"#,
                #"{"_rev":"2-a","_revisions":{"start":1,"ids":["b"]}}"#,
            ]),
        Endpoint(
            method: "POST", path: "/shop/_bulk_docs",
            wrongTypes: ["[]", "{}", "null", #"{"docs":{}}"#, #"{"docs":null}"#, #"{"docs":[],"new_edits":"no"}"#]),
        Endpoint(
            method: "POST", path: "/shop/_bulk_get",
            wrongTypes: ["[]", "{}", #"{"docs":{}}"#, #"{"docs":1}"#]),
        Endpoint(method: "POST", path: "/shop/_revs_diff", wrongTypes: ["[]", "1", #"{"a":"1-a"}"#, #"{"a":[1]}"#, #"{"a":{"b":1}}"#]),
        Endpoint(
            method: "POST", path: "/shop/_changes",
            wrongTypes: ["[]", "1", #"{"since":{}}"#, #"{"limit":"x"}"#, #"{"doc_ids":[1],"filter":"_doc_ids"}"#, #"{"feed":"odd"}"#]),
        Endpoint(method: "POST", path: "/shop/_all_docs", wrongTypes: ["[]", "{}", #"{"keys":1}"#, #"{"keys":[1]}"#]),
        Endpoint(method: "PUT", path: "/shop/_local/cp", wrongTypes: ["[]", "1", "null", #"{"_rev":1}"#, #"{"_id":1}"#]),
    ]

    /// Texts that are not valid JSON, or that must not be accepted as JSON.
    static let malformed: [(what: String, bytes: [UInt8])] = [
        ("nothing but a blank", Array(" ".utf8)),
        ("text cut off", Array(#"{"docs":[{"_id":"a""#.utf8)),
        ("two values", Array("{} {}".utf8)),
        ("a trailing comma", Array(#"{"a":1,}"#.utf8)),
        ("a comment", Array("/* */{}".utf8)),
        ("single quotes", Array("{'a':1}".utf8)),
        ("a bare word", Array(#"{"a":NaN}"#.utf8)),
        ("a number with a leading zero", Array(#"{"a":01}"#.utf8)),
        ("a raw control character", Array("{\"a\":\"\u{1}\"}".utf8)),
        ("a NUL behind the text", Array("{}\u{0}".utf8)),
        ("a NUL within", Array("{\u{0}}".utf8)),
        ("a byte order mark", [0xEF, 0xBB, 0xBF] + Array("{}".utf8)),
        ("UTF-16", [0xFE, 0xFF, 0, 0x7B, 0, 0x7D]),
        ("bad UTF-8", Array(#"{"a":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)),
        ("overlong UTF-8", Array(#"{"a":""#.utf8) + [0xC0, 0x80] + Array(#""}"#.utf8)),
        ("a surrogate in UTF-8", Array(#"{"a":""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}"#.utf8)),
        ("a bad escape", Array(#"{"a":"\x41"}"#.utf8)),
        ("too many nested arrays", Array((#"{"a":"# + String(repeating: "[", count: 100_000)).utf8)),
        (
            "too many nested arrays that are closed",
            Array(("{\"a\":" + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "}").utf8)
        ),
        ("a key that comes twice", Array(#"{"_id":"a","_id":"a","docs":[],"docs":[]}"#.utf8)),
        ("a key that comes twice, once escaped", Array(#"{"_rev":"1-a","a":[],"\u005frev":"1-a","\u0061":[]}"#.utf8)),
    ]

    @Test("A body that is not JSON gets 400 from every endpoint", arguments: endpoints)
    func notJSON(endpoint: Endpoint) async throws {
        try await RunningBridge.run { bridge in
            let socket = try bridge.connect()
            for (what, bytes) in Self.malformed {
                try await socket.send(
                    Array(
                        "\(endpoint.method) \(endpoint.path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: \(bytes.count)\r\n\r\n"
                            .utf8) + bytes)
                try expectRefusal(try await socket.answer(), "\(what) for \(endpoint.testDescription)")
            }
            socket.cut()
            try await bridge.expectSound(after: endpoint.testDescription)
            #expect(try await bridge.ask("GET", "/shop/_all_docs").json["total_rows"]?.int == 0)
        }
    }

    @Test("Values of the wrong type get 400 from every endpoint", arguments: endpoints)
    func wrongTypes(endpoint: Endpoint) async throws {
        try await RunningBridge.run { bridge in
            let socket = try bridge.connect()
            for body in endpoint.wrongTypes {
                try expectRefusal(try await socket.ask(endpoint.method, endpoint.path, body), "\(body) for \(endpoint.testDescription)")
            }
            socket.cut()
            try await bridge.expectSound(after: endpoint.testDescription)
            #expect(try await bridge.ask("GET", "/shop/_all_docs").json["total_rows"]?.int == 0)
        }
    }

    private func expectRefusal(_ answer: RawAnswer, _ what: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(answer.status == 400, "\(what): \(answer.head)\(answer.text)", sourceLocation: sourceLocation)
        let json = try answer.json
        #expect(json["error"]?.string?.isEmpty == false, "\(what): \(answer.text)", sourceLocation: sourceLocation)
        #expect(json["reason"]?.string?.isEmpty == false, "\(what): \(answer.text)", sourceLocation: sourceLocation)
    }

    @Test("One invalid document of `_bulk_docs` fails only its own row")
    func badRows() async throws {
        let bad: [(body: String, status: Int)] = [
            ("1", 400), (#"{"_id":"bad","_id":"bad"}"#, 400), (#"{"_id":1}"#, 400), (#"{"_id":"_x"}"#, 400),
            (#"{"_id":"bad","_rev":"x"}"#, 400),
            (#"{"_id":"bad","_foo":1}"#, 400), (#"{"_id":"_design/x"}"#, 403), (#"{"_id":"bad","_deleted":1}"#, 400),
            (#"{"_id":"bad","_attachments":{"a":{"data":"*abc"}}}"#, 400),
            (#"{"_id":"bad","_attachments":{"a":{"data":"AAAA","length":-7}}}"#, 400),
            (#"{"_id":"bad","_attachments":{"a":{"stub":true,"digest":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=","revpos":1}}}"#, 412),
            (#"{"_id":"bad","_attachments":{"a":{"follows":true}}}"#, 400), (#"{"_id":"bad","_rev":"1-abc"}"#, 409),
        ]
        try await RunningBridge.run { bridge in
            for (index, (body, status)) in bad.enumerated() {
                let answer = try await bridge.ask(
                    "POST", "/shop/_bulk_docs", #"{"docs":[{"_id":"x\#(index)"},\#(body),{"_id":"y\#(index)"}]}"#)
                #expect(answer.status == 201, "\(body): \(answer.text)")
                let rows = try answer.json.array ?? []
                try #require(rows.count == 3)
                #expect(rows[0]["rev"] != nil && rows[2]["rev"] != nil, "\(body): \(answer.text)")
                #expect(rows[1]["status"]?.int == status, "\(body): \(answer.text)")
                #expect(rows[1]["error"] != nil && rows[1]["reason"]?.string?.isEmpty == false, "\(body): \(answer.text)")
                #expect(rows[1]["_id"] == nil)
            }
            try await bridge.expectSound(after: "bad rows")
            #expect(try await bridge.ask("GET", "/shop/bad").status == 404)
        }
    }

    @Test("A lone surrogate is kept in a body, and refused in a name")
    func loneSurrogates() async throws {
        try await RunningBridge.run { bridge in
            #expect(try await bridge.ask("PUT", "/shop/odd", #"{"half":"\ud83d","pair":"\ud83d\ude00"}"#).status == 201)
            #expect(try await bridge.ask("GET", "/shop/odd").text.contains(#""half":"\ud83d","pair":"\ud83d\ude00""#))
            for (path, body) in [
                ("/shop/", #"{"_id":"\ud83d"}"#), ("/shop/_revs_diff", #"{"\ud83d":["1-a"]}"#),
                ("/shop/_all_docs", #"{"keys":["\ud83d"]}"#),
            ] {
                try expectRefusal(try await bridge.ask("POST", path, body), "\(path) \(body)")
            }
            let rows = try await bridge.ask("POST", "/shop/_bulk_docs", #"{"docs":[{"_id":"\ud83d"},{"_id":"even"}]}"#).json.array
            #expect(rows?.map { $0["status"]?.int } == [400, nil])
            let items = try await bridge.ask(
                "POST", "/shop/_bulk_get", #"{"docs":[{"id":"\ud83d"},{"id":"even"}]}"#, headers: "Accept: application/json\r\n")
            #expect(try items.json["results"]?.array?.map { $0["docs"]?.array?.first?["ok"] != nil } == [false, true])
            try await bridge.expectSound(after: "lone surrogates")
        }
    }

    @Test("A body of another type gets 415")
    func contentType() async throws {
        try await RunningBridge.run { bridge in
            for endpoint in Self.endpoints {
                let socket = try bridge.connect()
                try await socket.send(
                    "\(endpoint.method) \(endpoint.path) HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}")
                let answer = try await socket.answer()
                #expect(answer.status == 415, "\(endpoint.testDescription): \(answer.text)")
                #expect(try answer.json["reason"]?.string?.contains("text/plain") == true)
                socket.cut()
            }
        }
    }
}
