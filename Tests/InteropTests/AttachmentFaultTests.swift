import Documents
import Testing

@Suite("Attachments whose bytes differ from their description")
struct AttachmentFaultTests {
    private static let good = AttachmentDigest.sha1(of: Array("abc".utf8))
    private static let other = AttachmentDigest.sha1(of: Array("xyz".utf8))

    static let inline: [(what: String, entry: String)] = [
        ("no base64", #"{"data":"*abc"}"#),
        ("base64 cut off", #"{"data":"YWJ"}"#),
        ("base64 with too much padding", #"{"data":"YWJj===="}"#),
        ("base64 with stray bits", #"{"data":"YWJ="}"#),
        ("base64 in the URL's alphabet", #"{"data":"-_-_"}"#),
        ("a digest that is none", #"{"data":"YWJj","digest":7}"#),
        ("a negative length", #"{"data":"YWJj","length":-3}"#),
        ("a length with a fraction", #"{"data":"YWJj","length":3.5}"#),
        ("bytes that are in no part", #"{"follows":true,"length":3}"#),
        ("neither bytes nor stub", #"{"digest":"\#(good)"}"#),
    ]

    @Test("A damaged inline attachment gets 400, with a revision ID of the client or of the server")
    func inlineFaults() async throws {
        try await RunningBridge.run { bridge in
            let socket = try bridge.connect()
            for (what, entry) in Self.inline {
                for (method, path, start) in [
                    ("PUT", "/shop/d", ""), ("PUT", "/shop/d?new_edits=false", #""_rev":"1-a","#), ("POST", "/shop/", ""),
                ] {
                    let answer = try await socket.ask(method, path, #"{\#(start)"_attachments":{"a":\#(entry)}}"#)
                    #expect(answer.status == 400, "\(what): \(answer.text)")
                    #expect(try answer.json["reason"]?.string?.isEmpty == false)
                }
            }
            socket.cut()
            #expect(try await bridge.ask("GET", "/shop/d").status == 404)
            try await bridge.expectSound(after: "bad attachments")
        }
    }

    @Test("Bytes that differ from their description get 400 in a push; an edit that returns a read document gets a new description")
    func describedOtherwise() async throws {
        let entries = [#"{"data":"YWJj","digest":"\#(Self.other)"}"#, #"{"data":"YWJj","length":4}"#]
        try await RunningBridge.run { bridge in
            for (index, entry) in entries.enumerated() {
                let body = #""_attachments":{"a":\#(entry)}}"#
                let pushed = try await bridge.ask("PUT", "/shop/p\(index)?new_edits=false", #"{"_rev":"1-a",\#(body)"#)
                #expect(pushed.status == 400, "\(entry): \(pushed.text)")
                #expect(try await bridge.ask("GET", "/shop/p\(index)").status == 404)
                #expect(try await bridge.ask("PUT", "/shop/e\(index)", "{\(body)").status == 201)
                let kept = try await bridge.ask("GET", "/shop/e\(index)").json["_attachments"]?["a"]
                #expect(kept?["digest"]?.string == Self.good.description && kept?["length"]?.int == 3)
            }
        }
    }

    /// A document with one attachment `a` that follows, and the bytes after the document.
    private static func body(_ entry: String, _ rest: String, boundary: String = "cut") -> String {
        "--\(boundary)\r\nContent-Type: application/json\r\n\r\n{\"_rev\":\"1-a\",\"_attachments\":{\"a\":\(entry)}}\r\n" + rest
    }

    private static let part = "--cut\r\nContent-Disposition: attachment; filename=\"a\"\r\n\r\nabc\r\n"
    private static let entry = #"{"follows":true,"length":3,"digest":"\#(good)"}"#

    static let multipart: [(what: String, body: String, status: Int)] = [
        ("nothing at all", "", 400),
        ("no delimiter", "abc", 400),
        ("only the end", "--cut--", 400),
        ("a document cut off", "--cut\r\nContent-Type: application/json\r\n\r\n{\"a\":", 400),
        ("a document that is no JSON", "--cut\r\nContent-Type: application/json\r\n\r\n{\"a\":\r\n--cut--", 400),
        ("another type of document", "--cut\r\nContent-Type: text/plain\r\n\r\n{}\r\n--cut--", 400),
        ("a part cut off", body(entry, "--cut\r\n\r\nab"), 400),
        ("no end behind the last part", body(entry, part), 400),
        ("a part that is missing", body(entry, "--cut--"), 400),
        ("a part that comes twice", body(entry, part + part + "--cut--"), 400),
        ("a part that nobody waits for", body(#"{"data":"YWJj"}"#, part + "--cut--"), 400),
        ("another length", body(#"{"follows":true,"length":4}"#, part + "--cut--"), 400),
        ("another digest", body(#"{"follows":true,"digest":"\#(other)"}"#, part + "--cut--"), 400),
        ("another MD5", body(#"{"follows":true,"digest":"md5-AAAAAAAAAAAAAAAAAAAAAA=="}"#, part + "--cut--"), 400),
        ("a header without a colon", body(entry, "--cut\r\nodd\r\n\r\nabc\r\n--cut--"), 400),
        ("a header without an end", body(entry, "--cut\r\nX: \(String(repeating: "x", count: 100_000))\r\n\r\nabc\r\n--cut--"), 413),
        ("another boundary", body(entry, part + "--cut--", boundary: "other"), 400),
    ]

    @Test("A damaged multipart body is refused, and nothing of it is stored")
    func multipartFaults() async throws {
        try await RunningBridge.run { bridge in
            for (what, body, status) in Self.multipart {
                let answer = try await put(body, to: bridge)
                #expect(answer.status == status, "\(what): \(answer.text)")
                #expect(try answer.json["reason"]?.string?.isEmpty == false, "\(what)")
                #expect(try await bridge.ask("GET", "/shop/d").status == 404, "\(what)")
                try await bridge.expectSound(after: what)
            }
            for type in [
                "multipart/related", "multipart/related; boundary=", "multipart/related; boundary=\"\(String(repeating: "b", count: 71))\"",
            ] {
                #expect(try await put(Self.body(Self.entry, Self.part + "--cut--"), to: bridge, type: type).status == 400, "\(type)")
            }
            #expect(try await put(Self.body(Self.entry, Self.part + "--cut--"), to: bridge).status == 201)
            #expect(try await bridge.ask("GET", "/shop/d/a").text == "abc")
            try await bridge.expectSound(after: "a good one")
        }
    }

    private func put(
        _ body: String, to bridge: RunningBridge, type: String = "multipart/related; boundary=\"cut\""
    ) async throws -> RawAnswer {
        let socket = try bridge.connect()
        defer { socket.cut() }
        try await socket.send(
            "PUT /shop/d?new_edits=false HTTP/1.1\r\nHost: a\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try await socket.answer()
    }

    @Test("Nothing is stored of a client that disconnects in the middle of an attachment")
    func cutOff() async throws {
        try await RunningBridge.run { bridge in
            for type in ["application/octet-stream", "multipart/related; boundary=cut"] {
                let path = type.hasPrefix("multipart") ? "/shop/d?new_edits=false" : "/shop/d/a"
                let socket = try bridge.connect()
                let start = type.hasPrefix("multipart") ? Self.body(#"{"follows":true,"length":900000}"#, "--cut\r\n\r\n") : ""
                let body = start + String(repeating: "x", count: 400_000)
                try await socket.send("PUT \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: \(type)\r\nContent-Length: 1000000\r\n\r\n\(body)")
                socket.closeOutput()
                _ = try await socket.readToEnd()
                try await bridge.expectSound(after: "a client that went away")
                #expect(try await bridge.ask("GET", "/shop/d").status == 404)
            }
        }
    }
}
