import Documents
import Testing

@Suite("The page: what is shown of each answer")
struct PageViewTests {
    private static let now = "Date.parse('2026-11-21T12:00:00Z')"

    private func view(_ call: String, _ json: String = "{}") async throws -> JSONValue {
        try await PageScript.value(call.replacing("answer", with: "{status: 200, json: input}").replacing("now", with: Self.now), json)
    }

    private func part(_ kind: String, of view: JSONValue, _ index: Int = 0) throws -> JSONValue {
        try #require(view.array?.filter { $0["kind"]?.string == kind }.dropFirst(index).first)
    }

    @Test("Stages, gates, steps; a step that a gate refuses can only be forced")
    func cutover() async throws {
        let json =
            #"{"stage":"dual","next":"switched","previous":"shadow","canAdvance":false,"canReverse":true,"#
            + #""advanceReasons":["2 parked"],"gates":[{"name":"parked","passed":false,"measured":null,"limit":0,"#
            + #""message":"m"}],"history":[{"time":"2026-11-20T12:00:00Z","from":"shadow","to":"dual","outcome":"taken","#
            + #""forced":true,"reason":"r"}]}"#
        let view = try await view("Views.cutover(answer, now)", json)
        let steps = try #require(try part("steps", of: view)["items"]?.array)
        #expect(steps.map { $0["current"]?.bool } == [false, true, false, false, false])
        #expect(steps.map { $0["done"]?.bool } == [true, false, false, false, false])
        let gate = try #require(try part("table", of: view)["rows"]?.array?.first?["cells"]?.array)
        #expect(gate[1]["text"]?.string == "no" && gate[2].string == "unknown")
        #expect(try part("table", of: view, 1)["rows"]?.array?.first?["cells"]?.array?[3].string == "taken, forced")
        let actions = try #require(try part("buttons", of: view)["actions"]?.array)
        #expect(actions.map { $0["label"]?.string } == ["Advance to switched", "Reverse to shadow"])
        #expect(actions[0]["fields"]?.array?.compactMap { $0["name"]?.string } == ["reason", "dryRun", "force"])
        #expect(actions[1]["fields"]?.array?.compactMap { $0["name"]?.string } == ["reason", "dryRun"])
        #expect(actions[1]["body"]?["action"]?.string == "reverse" && actions[1]["body"]?["to"]?.string == "shadow")
        #expect(actions.allSatisfy { $0["question"]?.string?.hasSuffix("?") == true })
    }

    @Test("Replications: progress, rate, failures; what runs can be stopped and what does not can be started")
    func replications() async throws {
        let json =
            #"[{"replication_id":"a/b","status":"running","docs_read":3,"docs_checked_pull":5,"rejected_by_remote":1,"#
            + #""config":{"direction":"pull","remote":"http://h/x"}},{"replication_id":"c","status":"stopped"}]"#
        let view = try await view("Views.replications(answer, {'a/b': 7})", json)
        let rows = try #require(try part("table", of: view)["rows"]?.array)
        let cells = try #require(rows[0]["cells"]?.array)
        #expect(cells[1]["text"]?.string == "running, 7 a second" && cells[3].string == "3 read of 5")
        #expect(cells[5]["text"]?.string == "1" && cells[5]["tone"]?.string == "bad")
        let stop = try #require(cells[7]["actions"]?.array?.first)
        #expect(stop["path"]?.string == "_replicationStatus/a%2Fb?action=stop" && stop["method"]?.string == "PUT")
        #expect(rows[1]["cells"]?.array?[7]["actions"]?.array?.first?["label"]?.string == "Start")
        #expect(try await PageScript.value("Views.transferred({docs_read: 1, docs_checked_push: 2})").int == 3)
    }

    @Test("Parked revisions, one by one and all together")
    func parked() async throws {
        let json =
            #"{"total":3,"parked":[{"replication":"l","direction":"push","collection":"","id":"d","revision":"1-a","#
            + #""code":403,"reason":"no","first_seen":"2026-11-21T11:00:00Z","attempts":2}]}"#
        let view = try await view("Views.parked(answer, now)", json)
        let cells = try #require(try part("table", of: view)["rows"]?.array?.first?["cells"]?.array)
        #expect(cells[3]["text"]?.string == "403: no" && cells[5].string == "1 h ago")
        #expect(
            cells[6]["actions"]?.array?.first?["body"] == (try JSONValue(Array(#"{"action":"retry","replication":"l","id":"d"}"#.utf8))))
        #expect(try part("text", of: view)["text"]?.string == "and 2 more")
        let all = try #require(try part("buttons", of: view)["actions"]?.array?.first)
        #expect(all["body"] == (try JSONValue(Array(#"{"action":"retry"}"#.utf8))))
    }

    @Test("Migrations: what is under way can be paused, what is paused goes on", arguments: ["running", "reverting", "paused", "idle"])
    func migrations(state: String) async throws {
        let json = #"{"state":"\#(state)","examined":5,"total":10,"runs":[{"id":1,"state":"done","started":"2026-11-20T00:00:00Z"}]}"#
        let view = try await view(
            "Views.migrations(answer, {json: {imports: [{id: 1, source: 'x.json', started: '2026-11-21'}]}}, now)", json)
        #expect(try part("table", of: view)["rows"]?.array?.compactMap { $0["cells"]?.array?[1].string } == ["x.json", "in place"])
        guard state != "idle" else {
            #expect(view.array?.contains { $0["kind"]?.string == "buttons" } == false)
            return
        }
        #expect(try part("meter", of: view)["value"]?.int == 5)
        let action = try #require(try part("buttons", of: view)["actions"]?.array?.first)
        #expect(action["body"]?["action"]?.string == (state == "paused" ? "resume" : "pause"))
    }

    @Test("The fleet, collections and conflicts")
    func others() async throws {
        let fleet = try await view(
            "Views.fleet(answer, now)",
            #"{"since":"2026-08-01T00:00:00Z","total":3,"generations":[{"generation":1,"clients":3}],"#
                + #""days":[{"day":"2026-11-20","generation":1,"checkpoints":1}],"clients":[{"user":"","client":"PouchDB 7","#
                + #""generation":1,"behind":10000,"feeds":[{"collection":null},{"collection":"s.c"}]}]}"#)
        let cells = try #require(try part("table", of: fleet, 1)["rows"]?.array?.first?["cells"]?.array)
        #expect(cells[0]["text"]?.string == "guest" && cells[5].string == "10 000 or more" && cells[6].string == "s.c, unified")
        #expect(fleet.array?.last?["text"]?.string == "and 2 more")
        _ = try part("chart", of: fleet)
        let overview =
            #"{"state":"Online","unified":{"live":1},"collections":[{"name":"a.b","hidden":true,"conflicted":2}],"#
            + #""routes":[{"to":"a.b","when":"w","strips_prefix":true}],"conflicts":[{"id":"d","collection":"a.b","#
            + #""leaves":2}]}"#
        let collections = try await view("Views.collections(answer)", overview)
        #expect(try part("table", of: collections)["rows"]?.array?[1]["cells"]?.array?[6].string == "hidden")
        let conflicts = try await view("Views.conflicts(answer, now)", overview)
        #expect(conflicts.array?.last?["text"]?.string == "and 1 more")
    }

    @Test(
        "Where there is no answer that says so, and answers of another shape do no harm",
        arguments: [
            "cutover(a, 0)", "replications(a, {})", "fleet(a, 0)", "collections(a)", "conflicts(a, 0)", "parked(a, 0)",
            "migrations(a, null, 0)",
        ])
    func odd(_ call: String) async throws {
        let missing = try await PageScript.value("Views.\(call.replacing("(a", with: "({status: 404, json: {}}"))")
        #expect(missing.array?.first?["text"]?.string == "not configured")
        for json in [
            "null", "[]", "7", #"{"days":7,"clients":[{}],"parked":[{}],"gates":[{}],"conflicts":[{}],"runs":[{}],"routes":[{}]}"#,
        ] {
            let view = try await PageScript.value("Views.\(call.replacing("(a", with: "({status: 200, json: \(json)}"))")
            #expect(view.array?.isEmpty == false)
        }
    }

    @Test("What a change has come to")
    func outcome() async throws {
        #expect(try await PageScript.json("Views.outcome({status: 200, json: null}).text") == #""Done""#)
        #expect(try await PageScript.json("Views.outcome({status: 412, json: {reason: 'a gate'}}).text") == #""a gate (412)""#)
    }
}
