import Documents
import Testing

@Suite("The page: the fleet, users, documents, the server, and malformed replies")
struct PageLookupTests {
    private static let fleet = """
        {
            "since": "2026-08-01T00:00:00Z", "total": 3, "generations": [{"generation": 1, "clients": 3}], "clients": [
                {"user": "", "client": "PouchDB 7", "generation": 1, "behind": 10000, "first_seen": "2026-11-20T00:00:00Z",
                 "last_seen": "2026-11-21T00:00:00Z", "last_address": "10.0.0.7", "feeds": [{"collection": null}, {"collection": "s.c"}]},
                {"user": "anna", "client": "Couchbase Lite 3.2.1", "generation": 3, "devices": 2, "behind": null,
                 "first_seen": "2026-11-20T00:00:00Z", "last_seen": "2026-11-21T00:00:00Z"}
            ]
        }
        """

    @Test("The fleet has tiles, the chart and a search; a guest is identified by the address")
    func fleet() async throws {
        let cases: [(String, String)] = [
            (#"Fleet.view({status: 200, json: input}, NOW)[0].items.map(i => i.value)"#, #"["1","2","1 of 1","0","0","1"]"#),
            (#"Fleet.view({status: 200, json: input}, NOW).some(p => p.kind === 'chart')"#, #"true"#),
            (#"Fleet.view({status: 200, json: input}, NOW).slice(-1)[0].text.slice(0, 23)"#, #""The page has read the 2""#),
            (
                #"Fleet.search({status: 200, json: input}, {text: 'pouch', generation: ''}, NOW)[1].rows[0].cells.map(c => c.text || c)"#,
                #"["guest from 10.0.0.7","PouchDB 7","1.x","0","1 day ago","12 h ago","0","10 000 or more","s.c, unified"]"#
            ),
            (#"Fleet.search({status: 200, json: input}, {text: 'zzz'}, NOW).length"#, #"1"#),
            (
                #"Fleet.search({status: 200, json: {clients: [{...input.clients[0], side: 'oldServer'}]}}, {text: ''}, NOW)[1]"#
                    + #".rows[0].cells.slice(-1)"#,
                #"["by the old server"]"#
            ),
            (
                #"Fleet.search({status: 200, json: {clients: Array(60).fill(input.clients[1])}}, {text: '', page: 1}, "#
                    + #"NOW)[2].actions.map(a => [a.label, a.value.page ?? a.value])"#,
                #"[["Back",0],["Next",2],["Save as CSV",1]]"#
            ),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression, Self.fleet) == expected, "\(expression)") }
    }

    @Test("A user has documents, devices and the state of the move; similar names are offered for an unknown name")
    func users() async throws {
        let cases: [(String, String)] = [
            (
                #"Users.view('anna', {names: [], account: {status: 200, json: {all_channels: ['!', 'a'], collection_access: "#
                    + #"{s: {c: {all_channels: ['b']}}}}}}, {status: 200, json: input}, NOW)[0].rows"#,
                #"[["user",["anna"," ",{"text":"has moved to 2.x+ apps","tone":"good"}]],["sees","a"],["sees in s.c","#
                    + #""b"],["devices","2 devices"]]"#
            ),
            (
                #"Users.view('an', {account: {status: 404, json: {}}, names: ['ann', 'ben']}, {status: 200, json: input}, "#
                    + #"NOW)[1].cells.slice(1).map(c => c[0].text)"#,
                #"["ann","anna"]"#
            ),
            (#"Users.view('', {}, undefined, NOW)"#, #"[]"#),
            (#"Users.view('x', {}, undefined, NOW)[0].text"#, #""not asked yet""#),
            (
                #"Users.view('x', {account: {status: 200, json: {}}, seen: {status: 200, json: {documents: [{id: 'd', rev: '1-a'}], "#
                    + #"next: 'e'}}}, undefined, NOW).slice(-2).map(p => p.caption || p.actions[0].value)"#,
                #"["Documents that x sees, the first 1","e"]"#
            ),
            (
                #"Users.view('x', {account: {status: 200, json: {}}, seen: {status: 200, json: {documents: []}}}, undefined, "#
                    + #"NOW).slice(-1)[0].text"#,
                #""x sees no document.""#
            ),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression, Self.fleet) == expected, "\(expression)") }
    }

    private static let explanation = """
        {
            "collection": "s.c", "id": "d", "legacyID": null, "winner": "2-b", "modified": "2026-11-21T11:00:00Z", "sequence": 7, "revisionCount": 1,
            "revisions": [{"rev": "2-b", "parent": null, "winner": true, "leaf": true, "body": true}], "channels": [{"name": "a", "leftWith": null}],
            "attachments": [{"name": "x", "length": 2048}], "upstream": {"server": "h", "hasIt": true},
            "clients": {"caughtUp": 1, "unknown": 2, "behind": [{"user": "anna", "generation": 3, "agent": "x", "lastSeen": "2026-11-21T11:00:00Z"}]}
        }
        """

    @Test("A document is shown in every view; IDs with the same prefix are offered for an unknown ID")
    func documents() async throws {
        let cases: [(String, String)] = [
            (#"Documents.search({id: ''}, undefined, 'db', NOW)"#, #"[]"#),
            (
                #"Documents.search({id: 'd'}, {explanation: {status: 200, json: input}}, 'db', NOW).map(p => p.kind)"#,
                #"["facts","table","table","text","fold"]"#
            ),
            (
                #"Documents.search({id: 'd'}, {explanation: {status: 404}, names: {json: {rows: [{id: 'da'}]}}}, 'db', "#
                    + #"NOW)[1].cells[1][0].text"#,
                #""da""#
            ),
            (
                #"Documents.search({id: 'd'}, {explanation: {status: 200, json: input}, branches: {status: 200, json: "#
                    + #"[{ok: {_rev: '2-b'}}, {ok: {_rev: '2-a'}}]}}, 'db', NOW).filter(p => p.kind === 'compare').length"#,
                #"1"#
            ),
            (
                #"Documents.collections({status: 200, json: {state: 'Online', collections: [{name: 'a.b', hidden: "#
                    + #"true}], routes: [{to: 'a.b', when: 'w', strips_prefix: true}]}}).filter(p => p.kind === "#
                    + #"'table').map(t => t.rows.slice(-1)[0].cells.slice(-1)[0])"#,
                #"["hidden","cut off"]"#
            ),
        ]
        for (expression, expected) in cases {
            #expect(try await PageScript.json(expression, Self.explanation) == expected, "\(expression)")
        }
    }

    @Test("The server has a row for each database, and the problems of the process")
    func server() async throws {
        let cases: [(String, String)] = [
            (
                #"Server.view({status: 200, json: {version: 'v', databases: {a: {state: 'Offline'}}, supervision: "#
                    + #"{held_back: ['x']}}}, [{name: 'dualgauge_parked_revisions', labels: {database: 'a'}, value: 2}], {}, "#
                    + #"NOW)[0].rows[0].cells.map(c => c.text || c).slice(0, 6)"#,
                #"["a","Offline","no cutover","0","0","2"]"#
            ),
            (
                #"Server.view({status: 200, json: {supervision: {held_back: ['x']}}}, [], {}, NOW)[2].rows.find(r => "#
                    + #"r[0] === 'held back')[1]"#,
                #"{"text":"x","tone":"bad"}"#
            ),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression) == expected, "\(expression)") }
    }

    @Test(
        "A missing reply is reported, and a reply of another shape causes no error",
        arguments: [
            "Cutover.view(a, a, 0)", "Replications.view(a, {}, [], '')", "Fleet.view(a, 0)",
            "Fleet.search(a, {text: '', generation: ''}, 0)",
            "Documents.collections(a)", "Documents.search({id: 'x'}, {explanation: a}, '', 0)", "Conflicts.view(a, {}, '', 0)",
            "Parked.view(a, {}, 0)", "Migrations.view(a, null)", "Users.view('x', {account: a, seen: a}, a, 0)",
            "Server.view(a, [], {}, 0)",
        ])
    func odd(_ call: String) async throws {
        func with(_ answer: String) -> String { call.replacing("(a", with: "(\(answer)").replacing(" a", with: " \(answer)") }
        let missing = try await PageScript.value(with("{status: 503, json: {}}"))
        #expect(missing.array?.first?["text"]?.string == "not available now: 503")
        for json in [
            "null", "[]", "7",
            #"{"days":7,"clients":[{}],"parked":[{}],"gates":[{}],"conflicts":[{}],"runs":[{}],"routes":[{}],"revisions":[{}]}"#,
            #"{"history":[{}],"generations":[{}],"databases":{"a":null},"parity":{},"samples":7}"#,
        ] {
            let view = try await PageScript.value(with("{status: 200, json: \(json)}"))
            #expect(view.array?.isEmpty == false, "\(call) \(json)")
        }
        let picture = "Cutover.picture({cutover: a, replications: a, fleet: a, samples: [], rates: {}, database: ''}, 0).length"
        #expect(try await PageScript.json(picture.replacing(" a,", with: " {status: 200, json: null},")) == "2")
    }
}
