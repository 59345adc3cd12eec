import Documents
import Gateway
import Storage
import Testing

@Suite("Sync functions")
struct SyncFunctionTests {
    private func fixture(_ function: String, orders: String? = nil) async throws -> Fixture {
        try await Fixture { configuration in
            configuration.collections.append(CollectionConfiguration(name: .default, syncFunction: function))
            let name = try #require(CollectionName("sales.orders"))
            configuration.collections.append(CollectionConfiguration(name: name, syncFunction: orders))
            try configuration.route(.idPrefix("order"), to: "sales.orders")
        }
    }

    @Test("The function assigns channels; the default one uses the property, and adds the collection's own channel")
    func channels() async throws {
        let fixture = try await fixture("function (doc) { channel(doc.owner); }")
        try await fixture.user("anna", channels: ["anna", "orders"])
        try await fixture.unified.edit("1", body: #"{"owner":"anna"}"#)
        try await fixture.unified.edit("2", body: #"{"channels":["anna"]}"#)
        try await fixture.unified.edit("order3", body: #"{"owner":"anna"}"#)
        #expect(try await fixture.unified.seen(by: "anna").rows() == ["1", "order3"])
    }

    @Test("A refusal has the function's reason, and leaves the document and the store unchanged")
    func refusal() async throws {
        let fixture = try await fixture("function (doc, oldDoc) { if (doc.bad) throw({forbidden: 'no ' + (oldDoc ? oldDoc.n : 'old')}); }")
        let error = try await #require(throws: GatewayError.self) { try await fixture.unified.edit("1", body: #"{"bad":true}"#) }
        #expect(error.code == .forbidden && error.message == "no old")
        let first = try await fixture.unified.edit("1", body: #"{"n":5}"#)
        let second = await #expect(throws: GatewayError.self) {
            try await fixture.unified.edit("1", parent: first, body: #"{"bad":true}"#)
        }
        #expect(second?.message == "no 5")
        #expect(try await fixture.unified.current("1") == "\(first) {\"n\":5}")
        try await fixture.expectSound()
    }

    @Test("A user who closes a branch needs the rights to write the branch that wins, as in Sync Gateway")
    func revealedBranch() async throws {
        let fixture = try await fixture("function (doc) { if (doc.user) requireUser(doc.user); channel(doc.channels); }")
        try await fixture.user("anna", channels: ["a"])
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.push("1", "1-aa", body: #"{"user":"bert","channels":["b"]}"#)
        try await anna.push("1", "1-bb", body: #"{"channels":["a"]}"#)
        let error = await #expect(throws: GatewayError.self) { try await anna.push("1", "2-bb", "1-bb", body: "{}", deleted: true) }
        #expect(error?.code == .forbidden)
        #expect(try await anna.rows() == ["1"])
        try await fixture.unified.push("1", "2-bb", "1-bb", body: "{}", deleted: true)
        try await fixture.user("bert", channels: ["b"])
        #expect(try await fixture.unified.seen(by: "bert").rows() == ["1 again"])
    }

    @Test("requireUser, requireRole, requireAccess and requireAdmin check the writer, and an administrator passes all of them")
    func requirements() async throws {
        let fixture = try await fixture(
            """
            function (doc) {
              if (doc.user) requireUser(doc.user);
              if (doc.role) requireRole(doc.role);
              if (doc.channel) requireAccess(doc.channel);
              if (doc.admin) requireAdmin();
            }
            """)
        try await fixture.role("staff", channels: ["s"])
        try await fixture.user("anna", channels: ["a"], roles: ["staff"])
        let anna = fixture.unified.seen(by: "anna")
        for body in [
            #"{"user":"anna"}"#, #"{"user":["bob","anna"]}"#, #"{"role":"staff"}"#, #"{"channel":"a"}"#, #"{"channel":["x","s"]}"#,
        ] {
            #expect(try await code { try await anna.edit(body, body: body) } == nil, "\(body)")
        }
        for body in [#"{"user":"bob"}"#, #"{"role":"boss"}"#, #"{"channel":"x"}"#, #"{"admin":true}"#] {
            #expect(try await code { try await anna.edit(body, body: body) } == .forbidden, "\(body)")
            #expect(try await code { try await fixture.unified.edit(body, body: body) } == nil, "\(body)")
        }
    }

    @Test("access and role grant from the document's change until the document revokes the grant or is deleted")
    func grants() async throws {
        let fixture = try await fixture(
            "function (doc) { channel(doc.channels); if (doc.members) { access(doc.members, doc.list); role(doc.members, 'role:staff'); } }"
        )
        try await fixture.role("staff", channels: ["s"])
        try await fixture.user("anna")
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.put("task", channels: ["l"])
        try await fixture.unified.put("memo", channels: ["s"])
        var position = try await anna.read().position
        let list = #""list":"l","members":["anna"]"#
        try await fixture.unified.put("list", channels: ["l"], with: list)
        #expect(try await anna.rows(since: position) == ["task again", "memo again", "list again"])
        position = try await anna.read(since: position).position
        try await fixture.unified.put("list", channels: ["l"], with: #""list":"l""#)
        #expect(try await anna.rows(since: position) == ["task revoked l", "memo revoked s", "list revoked l"])
        try await fixture.unified.put("list", channels: ["l"], with: list)
        try await fixture.unified.put("list", channels: nil)
        #expect(try await anna.rows() { $0.includesRevocations = false } == ["list deleted removed l"])
        try await fixture.expectSound()
    }

    @Test("A tombstone that wins because the other branch is deleted is evaluated as a deletion of its parent")
    func deletedBranches() async throws {
        let fixture = try await fixture("function (doc, old) { channel(doc._deleted && old ? old.channels : doc.channels); }")
        try await fixture.user("anna", channels: ["c"])
        let anna = fixture.unified.seen(by: "anna")
        try await fixture.unified.push("1", "1-00", body: #"{"channels":["a"]}"#)
        try await fixture.unified.push("1", "2-ff", "1-ff", body: #"{"channels":["c"]}"#)
        let place = try await anna.read().position
        try await fixture.unified.put("1", channels: nil)
        #expect(try await anna.rows(since: place) == ["1 removed c"], "1-00 wins")
        try await fixture.unified.put("1", channels: nil)
        #expect(try await anna.rows(since: place) == ["1 deleted"])
    }

    @Test("A whole number beyond 2^53 keeps its digits in a channel name")
    func longNumbers() async throws {
        let fixture = try await fixture("function (doc) { channel('u' + doc.n); }")
        try await fixture.user("anna", channels: ["u9007199254740992"])
        try await fixture.unified.edit("1", body: #"{"n":9007199254740992}"#)
        try await fixture.unified.edit("2", body: #"{"n":9007199254740993}"#)
        #expect(try await fixture.unified.seen(by: "anna").rows() == ["1"])
        #expect(try await fixture.unified.current("2")?.hasSuffix(#" {"n":9007199254740993}"#) == true)
    }

    @Test("The function gets neither the old document's revision nor the new one's attachments, as in Sync Gateway")
    func members() async throws {
        let fixture = try await fixture(
            "function (doc, oldDoc) { if (doc.ask) throw({forbidden: Object.keys(doc).sort() + ' ' + (oldDoc && Object.keys(oldDoc).sort())}); }"
        )
        func refusal(_ parent: String?, deleted: Bool = false) async throws -> String {
            let set = AttachmentSet([AttachmentMetadata(name: "x", digest: .sha1(of: Array("x".utf8)), length: 1, revpos: 1)])
            return try await failure {
                try await fixture.unified.edit("1", parent: parent, body: #"{"ask":1}"#, deleted: deleted, attachments: set)
            }.message
        }
        #expect(try await refusal(nil) == "_id,_rev,ask null")
        let first = try await fixture.unified.edit("1", body: #"{"n":1}"#)
        #expect(try await refusal(first) == "_id,_rev,ask _id,n")
        #expect(try await refusal(first, deleted: true) == "_deleted,_id,_rev,ask _id,n")
        _ = try await fixture.unified.edit("1", parent: first, deleted: true)
        #expect(try await refusal(nil) == "_id,_rev,ask _deleted,_id")
    }

    private static let giving = """
        function (doc) {
          if (doc.gives) access(doc.to, doc.gives);
          if (doc.makes) role(doc.to, doc.makes);
          if (doc.channel) requireAccess(doc.channel);
          if (doc.role) requireRole(doc.role);
          channel(doc.channel || 'x');
        }
        """

    @Test("Access that a document of a batch grants or revokes to its writer counts for the documents after it", arguments: [true, false])
    func batchThatGives(isEdit: Bool) async throws {
        let fixture = try await fixture(Self.giving)
        try await fixture.role("staff", channels: ["s"])
        try await fixture.user("anna")
        let anna = fixture.unified.seen(by: "anna")
        func kind(_ generation: Int) throws -> RevisionWrite.Kind {
            .replicated(history: try (1...generation).reversed().map { try revision("\($0)-aa") }, conflicts: .branch)
        }
        func write(_ id: String, _ body: String, generation: Int = 1) throws -> RevisionWrite {
            let kind = try kind(generation)
            return RevisionWrite(
                id: id, kind: isEdit && generation == 1 ? .edit(parent: nil) : kind, isDeleted: false, body: Array(body.utf8))
        }
        let lists = (1...40).flatMap { ["list\($0)", "item\($0)"] }
        var batch = try [
            ("early", #"{"channel":"l1"}"#), ("makes", #"{"makes":"role:staff","to":"anna"}"#), ("role", #"{"role":"staff"}"#),
            ("of role", #"{"channel":"s"}"#), ("other", #"{"gives":"o","to":"bob"}"#), ("not given", #"{"channel":"o"}"#),
        ].map { try write($0, $1) }
        batch += try lists.map { id in
            let number = id.dropFirst(4)
            return try write(id, id.hasPrefix("list") ? "{\"gives\":\"l\(number)\",\"to\":\"anna\"}" : "{\"channel\":\"l\(number)\"}")
        }
        batch.append(try write("early", #"{"channel":"l2"}"#))
        let codes = try await anna.write(batch).map { result -> GatewayError.Code? in
            if case .failure(let error) = result { error.code } else { nil }
        }
        let refused = codes.indices.filter { codes[$0] == .forbidden }
        #expect(refused == [0, 5] && codes.compactMap { $0 }.count == 2)
        // The same in the other order.
        try await fixture.unified.push("makes two", "1-aa", body: #"{"gives":"t","to":"anna"}"#)
        let taking = try await anna.write([
            try write("still", #"{"channel":"t"}"#), try write("makes two", "{}", generation: 2), try write("no more", #"{"channel":"t"}"#),
        ])
        #expect(taking.map { (try? $0.get()) != nil } == [true, true, false])
        try await fixture.expectSound()
    }

    @Test("Several writes to one document in a batch get the previous one as the old document")
    func batch() async throws {
        let fixture = try await fixture("function (doc, oldDoc) { if (oldDoc && doc.n != oldDoc.n + 1) throw({forbidden: 'gap'}); }")
        let history = ["3-cc", "2-bb", "1-aa"].compactMap { RevisionID($0) }
        let writes = (1...3).map { n in
            RevisionWrite(
                id: "1", kind: .replicated(history: Array(history.suffix(n)), conflicts: .branch), isDeleted: false,
                body: Array("{\"n\":\(n)}".utf8))
        }
        let results = try await fixture.unified.write(writes)
        #expect(results.map { try? $0.get().revision.text } == ["1-aa", "2-bb", "3-cc"])
    }

    @Test("A function that loops, throws unusual values or is not a function fails only that write")
    func failures() async throws {
        let fixture = try await fixture(
            "function (doc) { if (doc.odd) throw 'x'; if (doc.missing) nothing.at.all(); channel('a'); }")
        let writes = [#"{"odd":true}"#, "{}", #"{"missing":true}"#].enumerated().map { index, body in
            RevisionWrite(id: "\(index)", kind: .edit(parent: nil), isDeleted: false, body: Array(body.utf8))
        }
        let codes = try await fixture.unified.write(writes).map { result -> GatewayError.Code? in
            if case .failure(let error) = result { error.code } else { nil }
        }
        #expect(codes == [.script, nil, .script])
        await #expect(throws: GatewayError.self) { _ = try await self.fixture("function (doc) {") }
    }

    @Test("A document is evaluated by the function of the collection of its route, whoever writes it")
    func routed() async throws {
        let fixture = try await fixture(
            "function (doc) { channel('default'); }",
            orders: "function (doc) { if (!doc.total) throw({forbidden: 'no total'}); channel('o'); }")
        try await fixture.user("anna", channels: ["default"])
        try await fixture.unified.edit("other")
        #expect(try await code { try await fixture.unified.edit("order1") } == .forbidden)
        #expect(try await code { try await fixture.collection("sales.orders").edit("order2") } == .forbidden)
        try await fixture.unified.edit("order3", body: #"{"total":1}"#)
        #expect(try await fixture.unified.seen(by: "anna").rows() == ["other"])
    }
}
