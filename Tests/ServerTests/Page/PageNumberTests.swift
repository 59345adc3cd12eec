import Documents
import Testing

@Suite("The page: the fleet, its chart, metrics and bodies")
struct PageNumberTests {
    /// A bridge, a user who has moved, a user of both apps, a user of an old app only, a guest, and an inactive user.
    private static let fleet = """
        [
            {"user": "", "generation": 0, "devices": 2, "first_seen": "2026-11-01T00:00:00Z", "last_seen": "2026-11-21T11:00:00Z"},
            {"user": "anna", "generation": 3, "devices": 1, "first_seen": "2026-11-20T00:00:00Z", "last_seen": "2026-11-21T11:00:00Z",
             "client": "Couchbase Lite 3.2.1 (iOS)"},
            {"user": "ben", "generation": 1, "devices": 2, "first_seen": "2026-11-18T00:00:00Z", "last_seen": "2026-11-19T11:00:00Z",
             "client": "Couchbase Lite 1.4.1 (Android)"},
            {"user": "ben", "generation": 2, "devices": 1, "first_seen": "2026-11-19T00:00:00Z", "last_seen": "2026-11-21T11:00:00Z"},
            {"user": "=cmd", "generation": 1, "devices": 1, "first_seen": "2026-11-20T00:00:00Z", "last_seen": "2026-11-20T11:00:00Z"},
            {"user": "", "generation": 1, "devices": 0, "first_seen": "2026-11-21T00:00:00Z", "last_seen": "2026-11-21T11:00:00Z",
             "client": "PouchDB 7", "last_address": "10.0.0.7"},
            {"user": "old", "generation": 1, "devices": 1, "first_seen": "2026-08-01T00:00:00Z", "last_seen": "2026-10-01T00:00:00Z"}
        ]
        """

    @Test("Devices and users are counted as moved, remaining and inactive; bridges are no devices")
    func summary() async throws {
        let cases: [(String, String)] = [
            (#"(s => [s.oldDevices, s.newDevices, s.guests])(Devices.summary(input, NOW))"#, #"[4,2,1]"#),
            (#"(s => [s.users, s.moved, s.both, s.left])(Devices.summary(input, NOW))"#, #"[3,1,1,1]"#),
            (#"Devices.summary(null, NOW).oldDevices"#, #"0"#),
            (
                #"[...Devices.byDay(input.slice(0, 6), NOW)].map(([d, c]) => Model.date(d).slice(8) + "#
                    + #"JSON.stringify(c)).sort()"#,
                #"["18{\"1\":2}","19{\"1\":2,\"2\":1}","20{\"1\":1,\"2\":1,\"3\":1}","21{\"1\":1,\"2\":1,\"3\":1}"]"#
            ),
            (#"Devices.byDay([{generation: 1, first_seen: 'x', last_seen: 'y'}], NOW).size"#, #"0"#),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression, Self.fleet) == expected, "\(expression)") }
    }

    @Test("The fleet is searched by words and generation, in pages, and exported as a table")
    func search() async throws {
        let cases: [(String, String)] = [
            (#"Devices.find(input, {text: 'LITE android', generation: ''}).length"#, #"1"#),
            (#"Devices.find(input, {text: 'guest 10.0', generation: '1'}).length"#, #"1"#),
            (#"Devices.find(input, {text: '', generation: '1'}).length"#, #"4"#),
            (#"Devices.find(null, {text: 'x'}).length"#, #"0"#),
            (#"(p => [p.rows.length, p.current, p.pages])(Devices.page([1, 2, 3, 4, 5], 9, 2))"#, #"[1,2,3]"#),
            (#"(p => [p.rows.length, p.current, p.pages])(Devices.page([], 0, 2))"#, #"[0,0,1]"#),
            (#"Devices.csv([input[4]]).split('\r\n')[1].slice(0, 8)"#, #""'=cmd,1,""#),
            (#"Devices.csv([{user: 'a\",b'}]).split('\r\n')[1].slice(0, 7)"#, #""\"a\"\",b\"""#),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression, Self.fleet) == expected, "\(expression)") }
    }

    @Test("Bars are stacked, days have no gap, the axis ends at a round number, and steps are at their days")
    func chart() async throws {
        let cases: [(String, String)] = [
            (
                #"Chart.chart(new Map([[Model.dayOf(NOW) - 2, {1: 3}], [Model.dayOf(NOW), {1: 1, 3: 3}]]), "#
                    + #"NOW).bars.map(b => [b.x, b.y, b.height, b.generation])"#,
                #"[[111,25,75,"1"],[131,75,25,"1"],[131,0,75,"3"]]"#
            ),
            (
                #"(c => [c.width, c.top, c.half, c.dates, c.rows.length])(Chart.chart(new Map([[Model.dayOf(NOW), {1: 3}]]), NOW))"#,
                #"[140,4,"2",["2026-11-08","2026-11-15","2026-11-21"],1]"#
            ),
            (
                #"Chart.chart(new Map([[Model.dayOf(NOW), {1: 3}]]), NOW, [{to: 'dual', time: '2026-11-20T01:00:00Z'}, "#
                    + #"{to: 'x', time: '2026-01-01T00:00:00Z'}]).marks"#,
                #"[{"x":120,"title":"2026-11-20: step to dual","to":"dual"}]"#
            ),
            (
                #"(c => [c.bars.length <= 62, c.top])(Chart.chart(new Map(Array.from({length: 400}, (_, i) => "#
                    + #"[Model.dayOf(NOW) - i, {1: i}])), NOW))"#,
                #"[true,400]"#
            ),
            (#"Chart.chart(new Map(), NOW) === null"#, #"true"#),
            (#"[1, 3, 9, 11, 399, 4001].map(Chart.ceiling)"#, #"[1,4,10,20,400,5000]"#),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression) == expected, "\(expression)") }
    }

    private static let metrics = #"""
        [
            "# HELP x y", "process_start_time_seconds 100.5", "dualgauge_requests_total{port=\"public\",status=\"200\"} 40",
            "dualgauge_requests_total{port=\"admin\",status=\"503\"} 2", "dualgauge_request_seconds_bucket{le=\"1\"} 7",
            "dualgauge_cutover_stage{database=\"a\",stage=\"dual\"} 1", "dualgauge_cutover_stage{database=\"a\",stage=\"shadow\"} 0",
            "dualgauge_online{database=\"q\\\"\\n\"} 1", "nonsense", "x NaN"
        ]
        """#

    @Test("Metrics are read from the text format, with sums by labels, and rates that end with a restart")
    func prometheus() async throws {
        let cases: [(String, String)] = [
            (#"Metrics.parse(input.join('\n')).length"#, #"6"#),
            (#"Metrics.sum(Metrics.parse(input.join('\n')), 'dualgauge_requests_total')"#, #"42"#),
            (#"Metrics.sum(Metrics.parse(input.join('\n')), 'dualgauge_requests_total', {status: s => s >= '500'})"#, #"2"#),
            (#"Metrics.sum(Metrics.parse(input.join('\n')), 'missing') === null"#, #"true"#),
            (
                #"[Metrics.stage(Metrics.parse(input.join('\n')), 'a'), Metrics.stage(Metrics.parse(input.join('\n')), "#
                    + #"'b')]"#,
                #"["dual",""]"#
            ),
            (#"Metrics.parse(input.join('\n'))[5].labels.database"#, #""q\"\n""#),
            (
                #"(l => Metrics.rates(l(0, 0, 1), l(2000, 30, 1)).requests)((time, n, start) => ({time, start, counts: "#
                    + #"{requests: n}}))"#,
                #"15"#
            ),
            (
                #"(l => Metrics.rates(l(0, 0, 1), l(2000, 30, 2)).requests)((time, n, start) => ({time, start, counts: "#
                    + #"{requests: n}})) === null"#,
                #"true"#
            ),
            (#"Metrics.parse(null).length"#, #"0"#),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression, Self.metrics) == expected, "\(expression)") }
    }

    @Test("Bodies are compared side by side: the order of members does not matter, and differing lines are marked")
    func bodies() async throws {
        let cases: [(String, String)] = [
            (
                #"Bodies.lines({_id: 'a', _rev: '1-a', b: 1, a: [{d: 1, c: 2}]}).map(l => l.trim()).join('')"#,
                #""{\"a\": [{\"c\": 2,\"d\": 1}],\"b\": 1}""#
            ),
            (
                #"Bodies.compare([{a: 1, b: 2}, {b: 3, a: 1}]).map(body => body.filter(l => l.differs).map(l => "#
                    + #"l.text.trim()))"#,
                #"[["\"b\": 2"],["\"b\": 3"]]"#
            ),
            (#"Bodies.compare([{a: 1}, {a: 1, b: 2}])[0].some(l => l.differs)"#, #"false"#),
            (#"Bodies.compare([{a: Array(900).fill(1)}])[0].length"#, #"501"#),
            (
                #"Bodies.sideBySide([{title: ['x'], body: null, missing: 'gone'}, {title: ['y'], body: {a: "#
                    + #"1}}]).items.map(i => i.lines === null)"#,
                #"[true,false]"#
            ),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression) == expected, "\(expression)") }
    }
}
