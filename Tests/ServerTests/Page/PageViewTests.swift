import Documents
import Testing

@Suite("The page: views of each reply")
struct PageViewTests {
    private static let replications = """
        [
            {"replication_id": "a/b", "status": "running", "docs_read": 3, "docs_checked_pull": 5, "rejected_by_remote": 1,
             "config": {"direction": "pull", "remote": "http://h/x"}},
            {"replication_id": "c", "status": "reconnecting", "error_message": "e", "error_time": "2026-11-21T11:00:00Z"},
            {"replication_id": "d", "status": "stopped", "last_error_message": "e", "last_error_time": "2026-11-21T11:00:00Z"}
        ]
        """

    @Test("Replications have progress, rate, failures, present and earlier errors; running ones can be stopped, others started")
    func replications() async throws {
        let cases: [(String, String)] = [
            (#"Replications.view({status: 200, json: input}, {'a/b': 7})[0].rows[0].cells[1].text"#, #""running, 7 a second""#),
            (#"Replications.view({status: 200, json: input})[0].rows[0].cells.slice(5, 7)"#, #"["3 of 5","0 of 0"]"#),
            (#"Replications.view({status: 200, json: input})[0].rows[0].cells[7].text"#, #""1""#),
            (#"Replications.view({status: 200, json: input})[0].rows[1].cells[8][0].tone"#, #""bad""#),
            (#"Replications.view({status: 200, json: input})[0].rows[2].cells[8][0].tone"#, #""quiet""#),
            (
                #"Replications.view({status: 200, json: input})[0].rows.map(r => [r.cells[9].actions[0].path, "#
                    + #"r.cells[9].actions[0].confirm])"#,
                #"[["_replicationStatus/a%2Fb?action=stop","Stop a/b"],["_replicationStatus/c?action=stop","Stop c"],"#
                    + #"["_replicationStatus/d?action=start","Start d"]]"#
            ),
            (
                #"Replications.view({status: 200, json: input}, {}, [{name: 'dualgauge_replication_lag_seconds', "#
                    + #"labels: {database: 's', replication: 'c'}, value: 90}], 's')[0].rows[1].cells[3]"#,
                #""1 min behind""#
            ),
            (#"Replications.transferred({docs_read: 1, docs_checked_push: 2})"#, #"3"#),
        ]
        for (expression, expected) in cases {
            #expect(try await PageScript.json(expression, Self.replications) == expected, "\(expression)")
        }
    }

    private static let parked = """
        {
            "total": 5, "parked": [
                {"replication": "l", "direction": "push", "collection": "", "id": "d", "revision": "1-a", "code": 403, "reason": "no", "attempts": 2},
                {"replication": "l", "direction": "push", "collection": "s.c", "id": "e", "revision": "1-b", "code": 413, "reason": "big", "attempts": 1},
                {"replication": "l", "direction": "push", "collection": "s.c", "id": "f", "revision": "1-c", "code": 413, "reason": "big", "attempts": 1}
            ]
        }
        """

    @Test("Parked revisions are grouped by reason; one, a group, or all can be retried or forgotten; bodies are beside the winner")
    func parked() async throws {
        let cases: [(String, String)] = [
            (#"Parked.groups(input.parked).map(g => [g.reason, g.rows.length])"#, #"[["big",2],["no",1]]"#),
            (
                #"Parked.view({status: 200, json: input}, {}, NOW)[0].actions.map(a => [a.body, a.confirm])"#,
                #"[[{"action":"retry"},"Retry all"],[{"action":"forget"},"Forget all"]]"#
            ),
            (
                #"Parked.view({status: 200, json: input}, {}, NOW).filter(p => p.kind === 'buttons')[1].actions[1].bodies"#,
                #"[{"action":"forget","replication":"l","id":"e"},{"action":"forget","replication":"l","id":"f"}]"#
            ),
            (#"Parked.view({status: 200, json: input}, {}, NOW).slice(-1)[0].actions[0].command"#, #""parkedMore""#),
            (
                #"Parked.question('db', input.parked[1])"#,
                #"{"path":"db.s.c/_bulk_get","body":{"docs":[{"id":"e","rev":"1-b"},{"id":"e"}]}}"#
            ),
            (
                #"Parked.view({status: 200, json: input}, {[Parked.key(input.parked[0])]: {status: 200, json: {results: "#
                    + #"[{docs: [{ok: {_rev: '1-a', n: 1}}]}, {docs: [{ok: {_rev: '2-b', n: 2}}]}]}}}, NOW).filter(p => "#
                    + #"p.kind === 'fold').slice(-1)[0].parts[1].items.map(i => i.lines.filter(l => l.differs).map(l => "#
                    + #"l.text))"#,
                #"[["  \"n\": 1"],["  \"n\": 2"]]"#
            ),
            (#"Parked.view({status: 200, json: {total: 0, parked: []}}, {}, NOW)[0].text"#, #""nothing is parked""#),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression, Self.parked) == expected, "\(expression)") }
    }

    private static let conflict = """
        {
            "unified": {"conflicted": 3}, "collections": [{"name": "s.c", "conflicted": 3}],
            "conflicts": [{"collection": "s.c", "id": "d/1", "winner": "2-b", "leaves": 2, "modified": "2026-11-21T11:00:00Z"}]
        }
        """

    @Test("A conflict has its branches side by side; keeping one puts tombstones on the others")
    func conflicts() async throws {
        let cases: [(String, String)] = [
            (#"Conflicts.path('db', input.conflicts[0])"#, #""db.s.c/d%2F1?open_revs=all""#),
            (#"Conflicts.view({status: 200, json: input}, {}, 'db', NOW).slice(-1)[0].text"#, #""and 2 more""#),
            (
                #"Conflicts.branches('db', input.conflicts[0], {status: 200, json: [{ok: {_rev: '2-b'}}, {ok: {_rev: "#
                    + #"'2-a'}}, {ok: {_rev: '3-c', _deleted: true}}]})[0].items[1].actions[0].body.docs"#,
                #"[{"_id":"d/1","_rev":"2-b","_deleted":true}]"#
            ),
            (
                #"Conflicts.branches('db', input.conflicts[0], {status: 200, json: [{ok: {_rev: '2-b'}}, {ok: {_rev: "#
                    + #"'2-a'}}]})[0].items[0].actions[0].whole"#,
                #""db.s.c/_bulk_docs""#
            ),
            (#"Conflicts.branches('db', input.conflicts[0], {status: 200, json: [{ok: {_rev: '2-b'}}]})[0].kind"#, #""text""#),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression, Self.conflict) == expected, "\(expression)") }
    }

    private static let migration = """
        {
            "state": "running", "examined": 5, "total": 10, "moved": {"s.c": 3}, "clashes": 1,
            "runs": [{"id": 1, "state": "done", "started": "2026-11-20T00:00:00Z", "finished": "2026-11-20T00:02:00Z"}]
        }
        """

    @Test("Migrations have the actions of each state, the rate with the remaining time, the report, and the runs")
    func migrations() async throws {
        let cases: [(String, String)] = [
            (
                #"['running', 'reverting', 'paused', 'idle'].map(state => Migrations.view({status: 200, json: {...input,"#
                    + #" state}}, {json: {routes: [{}]}}).filter(p => p.kind === 'buttons').flatMap(p => p.actions).map(a => "#
                    + #"a.body.action))"#,
                #"[["pause","cancel"],["pause","cancel"],["resume","cancel"],["start","revert"]]"#
            ),
            (
                #"Migrations.view({status: 200, json: input}, null, 2.5).find(p => p.kind === 'meter').label"#,
                #""5 of 10 documents examined, 2.5 a second, about 2 s left""#
            ),
            (
                #"Migrations.view({status: 200, json: input}, null).find(p => p.kind === 'facts').rows.slice(0, 3)"#,
                #"[["moved to s.c","3"],["matched by no route","0"],["place taken by another document",{"text":"1","tone":"warn"}]]"#
            ),
            (
                #"Migrations.view({status: 200, json: input}, {json: {imports: [{id: 1, source: 'x.json', started: "#
                    + #"'2026-11-21'}]}}).slice(-1)[0].rows.map(r => [r.cells[1], r.cells[5]])"#,
                #"[["x.json",""],["in place","2 min"]]"#
            ),
            (
                #"Migrations.view({status: 200, json: {...input, state: 'idle', runs: []}}, {json: {routes: [{}], "#
                    + #"misplaced_counted: true}}).some(p => p.kind === 'buttons')"#,
                #"false"#
            ),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression, Self.migration) == expected, "\(expression)") }
    }

    private static let status = """
        {"version": "Dualgauge/1", "supervision": {}, "databases": {
            "local": {"state": "Online"},
            "shop": {"state": "Online", "bridges": [
                {"id": "x", "name": "a/1", "started": "2026-11-21T10:00:00Z", "last_seen": "2026-11-21T11:59:58Z", "clients": 1200, "works": true, "stopping": false},
                {"id": "y", "name": "b/2", "started": "2026-11-21T10:00:00Z", "last_seen": null, "clients": 0, "works": false, "stopping": true}]}
        }}
        """

    @Test("The bridges of a database in PostgreSQL have their connections, their last sign of life, and which of them works")
    func bridges() async throws {
        let cases: [(String, String)] = [
            (#"Server.view({status: 200, json: input}, [], {}, NOW)[1].rows.map(r => r.cells[0])"#, #"["shop","shop"]"#),
            (
                #"Server.view({status: 200, json: input}, [], {}, NOW)[1].rows[0].cells.slice(1).map(c => c.text || c)"#,
                #"["a/1","2 h ago","1 200","just now","does the work that must run once"]"#
            ),
            (
                #"Server.view({status: 200, json: input}, [], {}, NOW)[1].rows[1].cells.slice(3).map(c => c.text === undefined ? c : c.text)"#,
                #"["0","","is stopping"]"#
            ),
            (#"Server.view({status: 200, json: {databases: {local: {}}}}, [], {}, NOW)[1].text"#, #""Process""#),
        ]
        for (expression, expected) in cases {
            #expect(try await PageScript.json(expression, Self.status) == expected, "\(expression)")
        }
    }
}
