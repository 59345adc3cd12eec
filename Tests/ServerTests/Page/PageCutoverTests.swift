import Documents
import Testing

@Suite("The page: the cutover")
struct PageCutoverTests {
    /// One gate is closed because of documents, another because of parked revisions.
    private static let closed = """
        {
            "stage": "dual", "meaning": "both servers", "next": "switched", "previous": "shadow", "canAdvance": false, "canReverse": false,
            "gates": [
                {"name": "scope", "passed": true, "measured": 0, "limit": 0, "unit": "logins", "message": "m"},
                {"name": "parity", "passed": false, "measured": 2, "limit": 0, "unit": "documents", "message": "see `x`", "age": 60},
                {"name": "lag", "passed": true, "measured": 3, "limit": 60, "unit": "seconds", "message": "m"},
                {"name": "parked", "passed": false, "measured": null, "limit": 0, "unit": "revisions", "message": "m"}
            ],
            "parity": {"time": "2026-11-21T11:59:00Z", "age": 60, "compared": 9, "differing": 2, "kinds": {"extra": 2},
                "samples": ["a/b"], "verified": 9, "failure": null},
            "legacy": "old",
            "history": [{"time": "2026-11-20T12:00:00Z", "from": "shadow", "to": "dual", "outcome": "taken", "forced": true, "reason": "r"}]
        }
        """

    /// No gate has found a problem, but both servers have not been compared.
    private static let due = """
        {
            "stage": "shadow", "next": "dual", "previous": null, "canAdvance": false, "canReverse": false, "parity": null,
            "gates": [
                {"name": "parity", "passed": false, "measured": null, "limit": 0, "message": "not compared"},
                {"name": "parked", "passed": true, "measured": 0, "limit": 0, "message": "m"}
            ]
        }
        """

    private static let clients = """
        [
            {"user": "ben", "generation": 1, "devices": 2, "last_seen": "2026-11-21T11:00:00Z"},
            {"user": "anna", "generation": 3, "devices": 1, "last_seen": "2026-11-21T11:00:00Z"}
        ]
        """

    @Test("The summary names the closed gates, with links to the remedies")
    func verdict() async throws {
        let cases: [(String, String)] = [
            (
                #"Cutover.verdict({answer: {status: 200, json: input}}, NOW).title"#,
                #""You may not go on to switched yet: 2 of 4 gates are closed.""#
            ),
            (#"Cutover.verdict({answer: {status: 200, json: input}}, NOW).tone"#, #""bad""#),
            (
                #"Cutover.verdict({answer: {status: 200, json: input}}, NOW).lines.map(l => [l[0], l[1].href.slice(1)])"#,
                #"[["Documents differ between both servers. ","differences"],["Revisions are parked. ","parked"]]"#
            ),
            (#"Cutover.verdict({silent: '9:00', answer: {status: 200, json: input}}, NOW).title"#, #""The bridge does not answer.""#),
            (#"Cutover.verdict({answer: {status: 404, json: {}}}, NOW).title"#, #""This database has no cutover.""#),
            (#"Cutover.verdict({answer: undefined}, NOW).tone"#, #""quiet""#),
            (
                #"Cutover.verdict({answer: {status: 200, json: {...input, canAdvance: true, gates: []}}}, NOW).title"#,
                #""You may go on to switched.""#
            ),
            (#"Cutover.verdict({answer: {status: 200, json: {stage: 'sunset', next: null}}}, NOW).tone"#, #""good""#),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression, Self.closed) == expected, "\(expression)") }
    }

    @Test("The summary has the number of remaining old devices")
    func devices() async throws {
        let cases: [(String, String)] = [
            (
                #"Cutover.verdict({answer: {status: 200, json: {}}, fleet: {clients: input}}, NOW).lines[0].map(c => "#
                    + #"c.text || c).join('')"#,
                #""2 old devices used the bridge in the last 30 days; 1 of 2 users have moved to 2.x+ apps.""#
            ),
            (#"Cutover.verdict({answer: {status: 200, json: {}}, fleet: {clients: input}}, NOW).lines[0][0].href.slice(1)"#, #""fleet/1""#),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression, Self.clients) == expected, "\(expression)") }
    }

    @Test("A comparison that the step makes by itself closes no gate, and is mentioned")
    func comparison() async throws {
        let cases: [(String, String)] = [
            (
                #"Cutover.verdict({answer: {status: 200, json: input}}, NOW).title"#,
                #""You may take the step to dual; it compares both servers first.""#
            ),
            (#"Gates.checklist(input, NOW).forward.map(g => g.state)"#, #"["due","good"]"#),
            (#"Gates.checklist({...input, parity: {failure: 'x'}}, NOW).forward[0].state"#, #""bad""#),
            (
                #"Cutover.view({status: 200, json: input}, undefined, NOW).find(p => p.kind === 'buttons').actions[0].detail"#,
                #""The step compares both servers first, which can take minutes. It is refused if a document differs. "#
                    + #"The step is recorded.""#
            ),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression, Self.due) == expected, "\(expression)") }
    }

    @Test("The view has stages, gates and steps; an override needs a reason; the button repeats the action")
    func view() async throws {
        let cases: [(String, String)] = [
            (
                #"Cutover.view({status: 200, json: input}, undefined, NOW)[0].items.map(i => i.done ? 2 : i.current ? 1 : 0)"#,
                #"[2,1,0,0,0]"#
            ),
            (
                #"Cutover.view({status: 200, json: input}, undefined, NOW).find(p => p.kind === 'checks').items.map(i => [i.state, "#
                    + #"i.measured, i.todo && i.todo.href.slice(1)])"#,
                #"[["good","0 logins, none allowed",null],["bad","2 documents, none allowed","differences"],["good","3 "#
                    + #"seconds, at most 60 allowed",null],["bad","","parked"]]"#
            ),
            (
                #"Cutover.view({status: 200, json: input}, undefined, NOW).find(p => p.kind === 'buttons').actions.map(a => "#
                    + #"[a.label, a.confirm || '', a.body.dryRun === true])"#,
                #"[["Advance to switched","Advance to switched",false],["Try the step to switched","",true]]"#
            ),
            (
                #"Cutover.view({status: 200, json: input}, undefined, NOW).find(p => p.kind === 'buttons').actions[0].fields.map(f "#
                    + #"=> [f.name, f.needs || ''])"#,
                #"[["reason",""],["force","reason"]]"#
            ),
            (
                #"Cutover.view({status: 200, json: input}, undefined, NOW).find(p => p.kind === 'fold').parts[0].items.map(i => i.name)"#,
                #"["lag","parked"]"#
            ),
            (#"Cutover.history(input, NOW).rows[0].cells[3].text"#, #""taken, forced""#),
            (
                #"Cutover.view({status: 200, json: input}, undefined, NOW).filter(p => p.kind === 'buttons')[1].actions.map(a => a.body)"#,
                #"[{"bodies":1000},{"bodies":"all"}]"#
            ),
            (
                #"Cutover.view({status: 200, json: {...input, gates: [], stage: 'complete', next: 'sunset'}}, "#
                    + #"undefined, NOW).find(p => p.kind === 'buttons').actions[0].tone"#,
                #""danger""#
            ),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression, Self.closed) == expected, "\(expression)") }
    }

    private static let compared = """
        {
            "running": {"start": "2026-11-21T11:58:00Z", "activity": "listing", "done": 40, "total": 100}, "listed": 2,
            "differences": [{"kind": "body", "collection": "s.c", "id": "a/b", "detail": "2-a, 2-b"}]
        }
        """

    @Test("A running comparison has its progress and can be stopped; the documents that differ have links")
    func differences() async throws {
        let call =
            "Comparison.view({stage: 'dual', parity: {compared: 9, differing: 2, kinds: {body: 2}}}, {status: 200, json: input}, NOW)"
        let cases: [(String, String)] = [
            (call + "[1]", #"{"kind":"meter","label":"listing: 40 of 100 documents, for 2 min","value":40,"max":100}"#),
            (call + "[2].actions[0].method", #""DELETE""#),
            (call + "[3].rows.slice(-1)[0]", #"["another body","2"]"#),
            (call + "[4].caption", #""Documents that differ, the first 1 of 2""#),
            (
                call + "[4].rows[0].cells.map(c => c.text || c)",
                #"["a/b","s.c","another body","2-a, 2-b"]"#
            ),
            (call + ".filter(p => p.kind === 'buttons').length", "1"),
            ("Comparison.view({stage: 'sunset'}, {status: 200, json: {}}, NOW).map(p => p.kind)", #"["heading","text"]"#),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression, Self.compared) == expected, "\(expression)") }
    }

    private static let state = """
        {
            "stage": "dual", "legacy": "h:1", "database": "d", "documents": 5, "summary": {"oldDevices": 1, "newDevices": 2},
            "open": {"old": 0, "modern": 1}, "rates": {"pulled": 3}
        }
        """

    @Test("The drawing has both servers and the devices, and a text version; without a cutover it has no old server")
    func drawing() async throws {
        let cases: [(String, String)] = [
            (#"Drawing.drawing(input).layouts.map(l => l.name)"#, #"["wide","narrow"]"#),
            (#"Drawing.drawing(input).label.includes('copies: 3 a second')"#, #"true"#),
            (#"Drawing.drawing(input).label.includes('1.x devices, 1 device, 0 open now')"#, #"true"#),
            (#"Drawing.drawing({...input, legacy: ''}).label.includes('Old server')"#, #"false"#),
            (#"Drawing.drawing({...input, stage: 'sunset'}).label.includes('are refused')"#, #"true"#),
            (#"Drawing.drawing({...input, summary: null}).label.includes('not known yet')"#, #"true"#),
            (#"Drawing.host('https://a:b@old.example.com:4984/shop')"#, #""old.example.com:4984""#),
            (#"Drawing.host(null)"#, #""""#),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression, Self.state) == expected, "\(expression)") }
    }

    private static let groups = """
        {
            "stage": "dual", "servedHere": "by rule", "percent": 5, "users": ["anna"], "channels": [], "addresses": [], "except": [], "guard": null,
            "halted": {"time": "2026-11-21T11:59:00Z", "reason": "moved devices had 3 errors", "pending": true},
            "groups": {
                "here": {"users": 1, "devices": 2, "requests": 30, "errors": {"server": 2}, "p50": 1.5, "p99": null, "refused": 1},
                "oldServer": {"users": 9, "devices": 9, "requests": 900, "errors": {}, "p50": 2, "p99": 20},
                "series": [{"time": "2026-11-21T11:58:00Z", "here": {"requests": 3, "errors": {"server": 1}, "refused": 1}}]
            }
        }
        """

    @Test("Both groups of devices stand side by side, with what the guard has found, and with the moves")
    func groups() async throws {
        let cases: [(String, String)] = [
            (#"Groups.view(null, NOW)"#, "[]"),
            (
                #"Cutover.view({status: 200, json: {stage: 'dual', devices: input}}, undefined, NOW).some(p => p.text === 'Devices')"#,
                "true"
            ),
            (#"Groups.view(input, NOW)[1].text.map(t => t.text || t).join('').slice(0, 30)"#, #""The guard has halted the moves""#),
            (#"Groups.view(input, NOW)[2].rows[2].cells"#, #"["requests","30","900"]"#),
            (#"Groups.view(input, NOW)[2].rows[6].cells"#, #"["errors: server",{"text":"2","tone":"warn"},"0"]"#),
            (#"Groups.view(input, NOW)[2].rows[8].cells"#, #"["response, 99 of 100",{"text":"none","tone":"quiet"},"20 ms"]"#),
            (#"Groups.view(input, NOW)[3].rows[0].cells.slice(1)"#, #"["3",{"text":"2","tone":"warn"},"0","0"]"#),
            (#"Groups.view(input, NOW).slice(-1)[0].actions.map(a => a.key)"#, #"["resume","share","move user","move user back","back"]"#),
            (
                #"Groups.view({...input, halted: null}, NOW).slice(-1)[0].actions.map(a => a.fields[0].name)"#,
                #"["percent","moveUser","moveUserBack","reason"]"#
            ),
            (
                #"Groups.view({...input, servedHere: 'none'}, NOW).slice(-1)[0].text"#,
                #""At this stage all devices are passed on to the old server.""#
            ),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression, Self.groups) == expected, "\(expression)") }
    }
}
