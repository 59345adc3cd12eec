import Documents
import Testing

@Suite("The page: texts and numbers")
struct PageModelTests {
    @Test("Numbers, times and names have a readable form")
    func words() async throws {
        let cases: [(String, String)] = [
            (#"Model.count(1234567)"#, #""1 234 567""#),
            (#"Model.count('x')"#, #""0""#),
            (#"Model.plural(1, 'day')"#, #""1 day""#),
            (#"Model.plural(1000, 'day')"#, #""1 000 days""#),
            (#"Model.duration(59)"#, #""59 s""#),
            (#"Model.duration(7200)"#, #""2 h""#),
            (#"Model.duration(-3)"#, #""0 s""#),
            (#"Model.ago('2026-11-21T11:59:01Z', NOW)"#, #""just now""#),
            (#"Model.ago('2026-11-21T10:00:00Z', NOW)"#, #""2 h ago""#),
            (#"Model.ago('2026-11-19T10:00:00Z', NOW)"#, #""2 days ago""#),
            (#"Model.ago('2026-11-22T00:00:00Z', NOW)"#, #""just now""#),
            (#"Model.ago('soon', 0)"#, #""""#),
            (#"Model.ago(null, 0)"#, #""""#),
            (#"Model.bytes(0)"#, #""0 B""#),
            (#"Model.bytes(1536)"#, #""1.5 KiB""#),
            (#"Model.bytes(6319125504)"#, #""5.9 GiB""#),
            (#"Model.generation(1)"#, #""generation 1 (1.x)""#),
            (#"Model.generation(9)"#, #""generation 9""#),
            (#"Model.segment('a/b?c#d%')"#, #""a%2Fb%3Fc%23d%25""#),
            (#"Model.segment('\ud800')"#, #""""#),
            (#"Model.short('1-d6667848d9d23886e88f30616f17952a')"#, #""1-d6667848d…""#),
            (#"Model.short('2-bb')"#, #""2-bb""#),
            (#"Model.short(null)"#, #""""#),
            (#"Model.prose('a `b` c')"#, #"["a ",{"code":"b"}," c"]"#),
            (#"Model.prose(undefined)"#, #"[]"#),
            (#"Model.rate({time: 0, count: 10}, {time: 2000, count: 30})"#, #"10"#),
            (#"Model.rate(undefined, {time: 1, count: 1}) === null"#, #"true"#),
            (#"Model.rate({time: 0, count: 30}, {time: 2000, count: 10}) === null"#, #"true"#),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression) == expected, "\(expression)") }
    }

    @Test("An anchor keeps the content of a view, for any name")
    func anchors() async throws {
        let cases: [(String, String)] = [
            (#"Model.anchor('documents', 'a/b#c', 'sales.order').slice(1)"#, #""documents/a%2Fb%23c/sales.order""#),
            (#"Model.anchor('documents', 'a', '').slice(1)"#, #""documents/a""#),
            (#"Model.asked(Model.anchor('users', '<img src=x>')).rest"#, #"["<img src=x>"]"#),
            (#"Model.asked('#fleet').name"#, #""fleet""#),
            (#"Model.asked('#a/%').rest"#, #"[""]"#),
            (#"Model.asked('').name"#, #""""#),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression) == expected, "\(expression)") }
    }

    @Test(
        "An error is shown in place of a reply",
        arguments: [
            ("undefined", "not asked yet", "quiet"), ("{status: 404, json: {reason: 'unknown URL'}}", "not configured", "quiet"),
            ("{status: 404, json: {reason: 'no cutover'}}", "not configured: no cutover", "quiet"),
            ("{status: 503, json: {reason: 'offline'}}", "not available now: offline", "warn"),
            ("{status: 0, json: {}}", "the bridge does not answer", "bad"), ("{status: 500, json: []}", "refused (500)", "bad"),
        ])
    func trouble(_ answer: String, _ text: String, _ tone: String) async throws {
        #expect(try await PageScript.json("Model.trouble(\(answer))") == #"{"text":"\#(text)","tone":"\#(tone)"}"#)
    }

    @Test("The result of a change is shown")
    func outcome() async throws {
        let cases: [(String, String)] = [
            (#"Outcome.outcome({status: 200, json: null}).text"#, #""done""#),
            (#"Outcome.outcome({status: 403, json: {reason: 'no'}}).text"#, #""no (403)""#),
            (#"Outcome.outcome({status: 200, json: {outcome: 'planned'}}).text"#, #""The step would be taken now""#),
            (
                #"Outcome.outcome({status: 412, json: {outcome: 'refused', stage: 'dual', gates: [{name: 'parked', "#
                    + #"passed: false}]}}).text"#,
                #""the step was refused. Revisions are parked.""#
            ),
            (
                #"Outcome.outcome({status: 200, json: {running: {done: 0}, parity: {compared: 5, differing: 2}}}, {key: 'compare 1'}).text"#,
                #""The comparison has begun""#
            ),
            (#"Outcome.outcome({status: 201, json: [{ok: true}, {error: 'conflict'}]}).text"#, #""1 of 2 failed: conflict""#),
            (#"Outcome.outcome({status: 200, json: {forgotten: 2}}).text"#, #""2 revisions forgotten""#),
            (
                #"Outcome.together([1, 2].map(i => ({status: 200, json: {done: i, refused: 0, untried: 0, results: []}})), {}).text"#,
                #""3 revisions accepted""#
            ),
            (
                #"Outcome.together([{status: 200, json: {}}, {status: 404, json: {reason: 'gone'}}], {}).tone"#,
                #""bad""#
            ),
        ]
        for (expression, expected) in cases { #expect(try await PageScript.json(expression) == expected, "\(expression)") }
    }
}
