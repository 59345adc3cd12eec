import Cutover
import Documents
import Server
import TestSupport
import Testing

@Suite("One document in every view", .serialized, .timeLimit(.minutes(5)))
struct ExplainTests {
    @Test("A running bridge shows a document's collections, its branches and the clients that have it, also in a collection")
    func running() async throws {
        try await CutoverWorld.run { world in
            try await CutoverWorld.write("o1", #"{"type":"order","n":1}"#, on: world.old)
            try await CutoverWorld.arrive("o1", at: world.new)
            try await eventually { try await world.new.admin("GET", "/shop/_explain/o1").json["upstream"]?["hasIt"]?.bool == true }
            let json = try await world.new.admin("GET", "/shop/_explain/o1").json
            #expect(json["collection"]?.string == "sales.orders" && json["id"]?.string == "o1" && json["legacyID"]?.string == "o1")
            #expect(json["revisionCount"]?.int == 1 && json["deleted"]?.bool == false, "\(json)")
            let conflict = #"{"_id":"o1","_rev":"1-ff","_revisions":{"start":1,"ids":["ff"]},"type":"order"}"#
            #expect(try await world.new.ask("POST", "/shop/_bulk_docs", #"{"new_edits":false,"docs":[\#(conflict)]}"#).status == 201)
            let sequence = try #require(json["sequence"]?.int)
            #expect(try await world.new.ask("PUT", "/shop/_local/phone", #"{"lastSequence":"\#(sequence)"}"#).status == 201)
            let branched = try await world.new.admin("GET", "/shop/_explain/o1?collection=sales.orders").json
            let revisions = branched["revisions"]?.array ?? []
            #expect(revisions.count == 2 && revisions.filter { $0["winner"]?.bool == true }.count == 1, "\(branched)")
            #expect(revisions.allSatisfy { $0["leaf"]?.bool == true && $0["body"]?.bool == true })
            #expect(branched["upstream"]?["hasIt"]?.bool == false)
            #expect(try await world.new.admin("GET", "/shop/_explain/none").status == 404)
            #expect(try await world.new.admin("GET", "/shop/_explain/o1?collection=no.such").status == 404)

            let admin = "http://127.0.0.1:\(world.new.adminPort)"
            let shown = try await Program.run("explain", "shop", "o1", "--admin", admin)
            #expect(shown.code == 0 && shown.output.contains("sales.orders, as o1") && shown.output.contains("1-ff"), "\(shown)")
            #expect(try await Program.run("explain", "shop", "none", "--admin", admin).code == 2)
            #expect(try await Program.run("explain", "shop", "o1", "--admin", "http://127.0.0.1:1").code == 3)
        }
    }

    @Test("A store that is not served shows deleted revisions and attachments")
    func store() async throws {
        let folder = try TemporaryFolder()
        try await RunningBridge.run(in: folder) { bridge in
            let body = #"{"_attachments":{"note":{"data":"aGVsbG8=","content_type":"text/plain"}}}"#
            let written = try await bridge.ask("PUT", "/shop/a", body)
            let revision = try #require(try written.json["rev"]?.string)
            #expect(written.status == 201)
            let gone = try await bridge.ask("PUT", "/shop/b", "{}")
            let first = try #require(try gone.json["rev"]?.string)
            #expect(try await bridge.ask("DELETE", "/shop/b?rev=\(first)").status == 200)
            #expect(revision.hasPrefix("1-"))
        }
        let path = "\(try TestStores.location("\(folder.path)/shop.dualgauge"))"
        let json = try await Program.run("explain", path, "a", "--json")
        #expect(json.code == 0, "\(json)")
        let value = try JSONValue(Array(json.output.utf8))
        #expect(value["attachments"]?.array?.first?["name"]?.string == "note", "\(json.output)")
        #expect(value["upstream"]?["server"] == .null)
        let deleted = try await Program.run("explain", path, "b")
        #expect(deleted.code == 0 && deleted.output.contains("winner, leaf, deleted"), "\(deleted)")
        #expect(try await Program.run("explain", path, "none").code == 2)
        #expect(try await Program.run("explain", "\(folder.path)/none.dualgauge", "a").code == 3)
    }
}
