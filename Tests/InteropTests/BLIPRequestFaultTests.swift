import BLIP
import Documents
import Testing

/// Well-formed BLIP requests that cannot be fulfilled: each gets its error reply, and the connection goes on.
@Suite("Requests over BLIP that fail")
struct BLIPRequestFaultTests {
    struct Fault: Sendable {
        let profile: String
        let properties: [(String, String)]
        let body: String
        let domain: String
        let code: Int

        init(_ profile: String, _ properties: [(String, String)], _ body: String, _ code: Int, domain: String = "HTTP") {
            (self.profile, self.properties, self.body, self.code, self.domain) = (profile, properties, body, code, domain)
        }

        var request: BLIPMessage {
            var list = BLIPProperties()
            for (name, value) in properties { list.add(name, value) }
            return .request(profile, properties: list, body: Array(body.utf8))
        }
    }

    private static let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)

    /// The document `d` exists with the revision `1-aa`.
    static let faults: [Fault] = [
        Fault("nonsense", [], "", 404, domain: "BLIP"),
        Fault("", [], "", 404, domain: "BLIP"),
        Fault("getCheckpoint", [], "", 400),
        Fault("getCheckpoint", [("client", "none")], "", 404),
        Fault("getCheckpoint", [("client", "none"), ("collection", "0")], "", 400),
        Fault("setCheckpoint", [], "{}", 400),
        Fault("setCheckpoint", [("client", "x")], "", 400),
        Fault("setCheckpoint", [("client", "x")], "[]", 400),
        Fault("setCheckpoint", [("client", "x")], #"{"a":1,"a":2}"#, 400),
        Fault("setCheckpoint", [("client", "x"), ("rev", "0-7")], "{}", 404),
        Fault("subChanges", [("since", "x")], "", 400),
        Fault("subChanges", [("batch", "x")], "", 400),
        Fault("subChanges", [("filter", "mine")], "", 400),
        Fault("subChanges", [("filter", "sync_gateway/bychannel")], "", 400),
        Fault("subChanges", [], "{", 400),
        Fault("subChanges", [], #"{"docIDs":1}"#, 400),
        Fault("subChanges", [], #"{"docIDs":[1]}"#, 400),
        Fault("proposeChanges", [], "{}", 400),
        Fault("proposeChanges", [], "[1]", 400),
        Fault("proposeChanges", [], "[[1,2]]", 400),
        Fault("proposeChanges", [], #"[["a"]]"#, 400),
        Fault("proposeChanges", [], "", 400),
        Fault("changes", [], #"[[1,"a","1-a"]]"#, 409),
        Fault("rev", [], "{}", 400),
        Fault("rev", [("id", "x")], "{}", 400),
        Fault("rev", [("id", "x"), ("rev", "")], "{}", 400),
        Fault("rev", [("id", ""), ("rev", "1-ab")], "{}", 400),
        Fault("rev", [("id", "x"), ("rev", "ab")], "{}", 400),
        Fault("rev", [("id", "x"), ("rev", "0-ab")], "{}", 400),
        Fault("rev", [("id", "x"), ("rev", "2-ab"), ("history", "2-cd")], "{}", 400),
        Fault("rev", [("id", "x"), ("rev", "2-ab"), ("history", "nonsense")], "{}", 400),
        Fault("rev", [("id", "_x"), ("rev", "1-ab")], "{}", 400),
        Fault("rev", [("id", "_design/x"), ("rev", "1-ab")], "{}", 400),
        Fault("rev", [("id", String(repeating: "x", count: 251)), ("rev", "1-ab")], "{}", 400),
        Fault("rev", [("id", "x"), ("rev", "1-ab")], "{", 400),
        Fault("rev", [("id", "x"), ("rev", "1-ab")], "[]", 400),
        Fault("rev", [("id", "x"), ("rev", "1-ab")], "{}{}", 400),
        Fault("rev", [("id", "x"), ("rev", "1-ab")], #"{"_exp":1,"_exp":2}"#, 400),
        Fault("rev", [("id", "x"), ("rev", "1-ab")], "{\"a\":\(deep)}", 400),
        Fault("rev", [("id", "x"), ("rev", "1-ab")], "\u{FEFF}{}", 400),
        Fault("rev", [("id", "x"), ("rev", "1-ab")], "{}\u{0}", 400),
        Fault("rev", [("id", "x"), ("rev", "1-ab")], #"{"_id":"x"}"#, 404),
        Fault("rev", [("id", "x"), ("rev", "1-ab")], #"{"_attachments":7}"#, 400),
        Fault("rev", [("id", "x"), ("rev", "1-ab")], #"{"_attachments":{"a":{"data":"*abc"}}}"#, 400),
        Fault(
            "rev", [("id", "x"), ("rev", "1-ab")], #"{"_attachments":{"a":{"data":"YWJj","digest":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="}}}"#,
            400),
        Fault("rev", [("id", "x"), ("rev", "1-ab")], #"{"_attachments":{"a":{"follows":true}}}"#, 400),
        Fault("rev", [("id", "x"), ("rev", "1-ab")], #"{"_attachments":{"a":{"stub":true}}}"#, 400),
        Fault("rev", [("id", "x"), ("rev", "2-ab"), ("deltaSrc", "1-ab")], "{}", 400),
        Fault("rev", [("id", "d"), ("rev", "1-bb")], "{}", 409),
        Fault("rev", [("id", "d"), ("rev", "3-bb"), ("history", "2-bb")], "{}", 409),
        Fault("getAttachment", [], "", 400),
        Fault("getAttachment", [("digest", "nonsense"), ("docID", "d")], "", 400),
        Fault("getAttachment", [("digest", "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=")], "", 400),
        Fault("getAttachment", [("digest", "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="), ("docID", "d")], "", 403),
        Fault("proveAttachment", [("digest", "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="), ("docID", "d")], "nonce", 403),
        Fault("getCollections", [], #"{"checkpoint_ids":["a"],"collections":["sales.orders"]}"#, 400),
    ]

    @Test("Each faulty request gets an error reply with domain, code and text; the connection and the store are not affected")
    func faults() async throws {
        try await RunningBridge.run { bridge in
            let blip = try await RawBLIP(bridge)
            #expect(try await blip.ask("rev", ["id": "d", "rev": "1-aa"], "{}").type == .reply)
            for fault in Self.faults {
                let what = "\(fault.profile) \(fault.properties) \(fault.body.prefix(80))"
                let reply = try await blip.ask(fault.request)
                #expect(reply.type == .error, "\(what): \(reply)")
                #expect(reply.errorDomain == fault.domain && reply.errorCode == fault.code, "\(what): \(reply)")
                #expect(reply.errorMessage?.isEmpty == false, "\(what)")
            }
            #expect(try await blip.ask("getCheckpoint", ["client": "cp"]).errorCode == 404)
            try await bridge.expectSound(after: "failed requests")
            let rows = try await bridge.ask("GET", "/shop/_all_docs").json["rows"]?.array ?? []
            #expect(rows.map { $0["value"]?["rev"]?.string } == ["1-aa"])
        }
    }

    @Test("Properties that are not UTF-8 or JSON are refused in a compressed message, too")
    func compressed() async throws {
        try await RunningBridge.run { bridge in
            let blip = try await RawBLIP(bridge)
            for body: [UInt8] in [[0xFF, 0xFE], Array(#"{"a":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)] {
                let reply = try await blip.ask(.request("rev", properties: ["id": "x", "rev": "1-ab"], body: body, isCompressed: true))
                #expect(reply.errorDomain == "HTTP" && reply.errorCode == 400, "\(reply)")
            }
        }
    }

    static let lists: [(what: String, body: String)] = [
        ("nothing", ""), ("no object", "[]"), ("no lists", "{}"), ("none", #"{"checkpoint_ids":[],"collections":[]}"#),
        ("too few checkpoints", #"{"checkpoint_ids":[],"collections":["sales.orders"]}"#),
        ("numbers", #"{"checkpoint_ids":["a"],"collections":[1]}"#),
        ("one twice", #"{"checkpoint_ids":["a","b"],"collections":["sales.orders","sales.orders"]}"#),
        ("no name", #"{"checkpoint_ids":["a"],"collections":[""]}"#), ("three parts", #"{"checkpoint_ids":["a"],"collections":["a.b.c"]}"#),
    ]

    @Test("Invalid lists of collections, and lists of unknown collections, are refused")
    func collections() async throws {
        try await RunningBridge.run { bridge in
            let blip = try await RawBLIP(bridge)
            for (what, body) in Self.lists {
                let reply = try await blip.ask("getCollections", [:], body)
                #expect(reply.errorDomain == "HTTP" && reply.errorCode == 400, "\(what): \(reply)")
            }
            let found = try await blip.ask(
                "getCollections", [:], #"{"checkpoint_ids":["a","b"],"collections":["sales.orders","sales.gone"]}"#)
            #expect(String(decoding: found.body, as: UTF8.self) == "[{},null]")
            for index in ["1", "2", "-1", "x", ""] {
                #expect(try await blip.ask("getCheckpoint", ["client": "a", "collection": index]).errorCode == 400, "\(index)")
            }
            #expect(try await blip.ask("getCheckpoint", ["client": "a"]).errorCode == 400)
            #expect(try await blip.ask("getCheckpoint", ["client": "a", "collection": "0"]).errorCode == 404)
            try await bridge.expectSound(after: "collections")
        }
    }

    @Test("A second feed of one collection is refused, and the first goes on")
    func secondFeed() async throws {
        try await RunningBridge.run { bridge in
            let blip = try await RawBLIP(bridge)
            #expect(try await blip.ask("subChanges", ["continuous": "true"]).type == .reply)
            #expect(try await blip.ask("subChanges", ["continuous": "true"]).errorCode == 500)
            #expect(try await blip.request().profile == "changes")
            #expect(try await bridge.ask("PUT", "/shop/new", "{}").status == 201)
            #expect(String(decoding: try await blip.request().body, as: UTF8.self).contains("\"new\""))
        }
    }

    @Test(
        "A revision is refused if bytes of its attachments are wrong or missing",
        arguments: [
            (Array("abd".utf8), 400), (Array("ab".utf8), 400), (Array("abcd".utf8), 400), (nil as [UInt8]?, 404),
        ])
    func attachments(bytes: [UInt8]?, code: Int) async throws {
        try await RunningBridge.run { bridge in
            let blip = try await RawBLIP(bridge)
            let digest = AttachmentDigest.sha1(of: Array("abc".utf8))
            let stub = #"{"_attachments":{"a":{"stub":true,"length":3,"revpos":1,"digest":"\#(digest)"}}}"#
            let number = try await blip.begin(.request("rev", properties: ["id": "x", "rev": "1-ab"], body: Array(stub.utf8)))
            let wanted = try await blip.request()
            #expect(wanted.profile == "getAttachment" && wanted.properties["digest"] == digest.description)
            try await blip.reply(
                bytes.map { .reply(to: wanted.number, body: $0) } ?? .error(to: wanted.number, code: 404, message: "gone"))
            let reply = try await blip.reply(to: number)
            #expect(reply.errorDomain == "HTTP" && reply.errorCode == code, "\(reply)")
            #expect(try await bridge.ask("GET", "/shop/x").status == 404)
            try await bridge.expectSound(after: "an attachment")
        }
    }
}
