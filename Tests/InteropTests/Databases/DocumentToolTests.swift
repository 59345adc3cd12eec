import Documents
import Gateway
import Testing

@Suite("_purge, _raw, _revtree, _compact", .serialized)
struct DocumentToolTests {
    @Test("_raw has the stored body and the metadata; _revtree draws the tree")
    func raw() async throws {
        try await RunningBridge.run { (bridge) async throws in
            let body = #"{"channels":["a"],"n":1.0}"#
            let revision = try #require(try await bridge.admin("PUT", "/shop/d", body).json["rev"]?.string)
            let answer = try await bridge.admin("GET", "/shop/_raw/d")
            #expect(answer.text.hasPrefix(#"{"channels":["a"],"n":1.0,"_sync":{"rev":"\#(revision)""#))
            let metadata = try #require(try answer.json["_sync"])
            #expect(metadata["channels"]?["a"] == .null)
            #expect(metadata["history"]?["revs"]?.array == [.string(revision)])
            #expect(metadata["history"]?["channels"] == .array([.array([.string("a")])]))
            #expect(metadata["recent_sequences"]?.array == metadata["sequence"].map { [$0] })
            #expect(metadata["history"]?["parents"]?.array == [.number("-1")])
            #expect(try await bridge.admin("GET", "/shop/_raw/d?include_doc=false").text.hasPrefix(#"{"_sync":{"#))
            #expect(try await bridge.admin("GET", "/shop/_revtree/d").text == "digraph graphname{\"\" -> \"\(revision)\"; }")
            #expect(try await bridge.admin("GET", "/shop/_raw/d?redact=true").status == 400)
            let redacted = try #require(try await bridge.admin("GET", "/shop/_raw/d?redact=true&include_doc=false&salt=x").json["_sync"])
            // SHA-1 of "xa".
            #expect(redacted["history"]?["channels"] == .array([.array([.string("57df5a2b154df96a35ad4613c100173e2d0b225c")])]))
            #expect(redacted["channels"]?.members?.map(\.key) == ["57df5a2b154df96a35ad4613c100173e2d0b225c"])
            let next = try #require(try await bridge.admin("DELETE", "/shop/d?rev=\(revision)").json["rev"]?.string)
            let deleted = try #require(try await bridge.admin("GET", "/shop/_raw/d").json["_sync"])
            #expect(deleted["deleted"]?.bool == true && deleted["history"]?["deleted"]?.array == [.number("0")])
            #expect(deleted["channels"]?["a"]?["rev"]?.string == next)
            #expect(try await bridge.admin("GET", "/shop/_revtree/d").text.contains("\"\(revision)\" -> \"\(next)\"; "))
            for path in ["_raw/none", "_revtree/none", "_raw/a%2Fb"] {
                #expect(try await bridge.admin("GET", "/shop/\(path)").text == #"{"error":"not_found","reason":"missing"}"#)
            }
            #expect(try await bridge.admin("GET", "/shop.sales.orders/_raw/d").status == 404)
        }
    }

    @Test("_purge removes documents without a tombstone, and ignores missing ones")
    func purge() async throws {
        try await RunningBridge.run { (bridge) async throws in
            for id in ["a", "b"] { #expect(try await bridge.ask("PUT", "/shop/\(id)", "{}").status == 201) }
            let answer = try await bridge.admin("POST", "/shop/_purge", #"{"a":["*"],"none":["*"],"b":["1-a"]}"#)
            #expect(answer.status == 200)
            #expect(answer.text == #"{"purged":{"a":["*"]}}"#)
            #expect(try await bridge.ask("GET", "/shop/a").status == 404)
            #expect(try await bridge.ask("GET", "/shop/b").status == 200)
            #expect(try await bridge.admin("POST", "/shop/_purge", "[]").status == 400)
            #expect(try await bridge.admin("POST", "/shop/_purge").status == 400)
            try await bridge.expectSound(after: "a purge")
        }
    }

    @Test("_compact replies in the forms of 2.x and of 3.x")
    func compact() async throws {
        try await RunningBridge.run { (bridge) async throws in
            let answer = try await bridge.admin("POST", "/shop/_compact").json
            #expect(answer["revs"]?.int == 0 && answer["status"]?.string == "completed")
            #expect(try await bridge.admin("GET", "/shop/_compact").status == 200)
            #expect(try await bridge.admin("POST", "/shop/_compact?action=x").status == 400)
            #expect(try await bridge.admin("POST", "/shop/_compact?action=stop").status == 400)
        }
    }
}
