import Documents
import Testing

@Suite("The page: words, numbers and the chart")
struct PageModelTests {
    @Test(
        "Numbers and times as people read them",
        arguments: [
            ("Model.count(1234567)", #""1 234 567""#), ("Model.count(0)", #""0""#), ("Model.count('x')", #""0""#),
            ("Model.plural(1, 'day')", #""1 day""#), ("Model.plural(1000, 'day')", #""1 000 days""#),
            ("Model.ago('2026-11-21T00:00:00Z', Date.parse('2026-11-21T00:00:59Z'))", #""just now""#),
            ("Model.ago('2026-11-21T00:00:00Z', Date.parse('2026-11-21T02:00:00Z'))", #""2 h ago""#),
            ("Model.ago('2026-11-21T00:00:00Z', Date.parse('2026-11-23T02:00:00Z'))", #""2 days ago""#),
            ("Model.ago('2026-11-21T00:00:00Z', Date.parse('2026-11-20T00:00:00Z'))", #""just now""#),
            ("Model.ago('soon', 0)", #""""#), ("Model.ago(null, 0)", #""""#),
            ("Model.segment('a/b?c#d%')", #""a%2Fb%3Fc%23d%25""#), ("Model.segment('\\ud800')", #""""#),
            ("Model.generation(1)", #""generation 1 (1.x)""#), ("Model.generation(9)", #""generation 9""#),
            ("Model.rate({time: 0, count: 10}, {time: 2000, count: 30})", "10"), ("Model.rate(undefined, {time: 1, count: 1})", "0"),
            ("Model.rate({time: 0, count: 30}, {time: 2000, count: 10})", "0"),
        ])
    func words(_ expression: String, _ expected: String) async throws {
        #expect(try await PageScript.json(expression) == expected)
    }

    @Test(
        "What is said in place of an answer",
        arguments: [
            ("undefined", "not asked yet", "quiet"), ("{status: 404, json: {reason: 'unknown URL'}}", "not configured", "quiet"),
            ("{status: 404, json: null}", "not configured", "quiet"),
            ("{status: 404, json: {reason: 'no cutover'}}", "not configured: no cutover", "quiet"),
            ("{status: 503, json: {reason: 'offline'}}", "not available now: offline", "warn"),
            ("{status: 0, json: {}}", "the bridge does not answer", "bad"), ("{status: 500, json: []}", "refused (500)", "bad"),
        ])
    func trouble(_ answer: String, _ text: String, _ tone: String) async throws {
        #expect(try await PageScript.json("Model.trouble(\(answer))") == #"{"text":"\#(text)","tone":"\#(tone)"}"#)
    }

    @Test("Bars stand on each other, days have no gap, and the highest fills the height")
    func chart() async throws {
        let entries = [("2026-11-18", 1, 3), ("2026-11-20", 1, 1), ("2026-11-20", 3, 3), ("x", 1, 9), ("2099-01-01", 2, 9)]
        let texts = entries.map { #"{"day":"\#($0.0)","generation":\#($0.1),"checkpoints":\#($0.2)}"# }
        let days = "[\(texts.joined(separator: ","))]"
        let now = "Date.parse('2026-11-20T12:00:00Z')"
        let bars = try await PageScript.json("Model.chart(input, \(now)).bars.map(b => [b.x, b.y, b.height, b.generation])", days)
        #expect(bars == "[[1,25,75,1],[21,75,25,1],[21,0,75,3]]")
        let members = "(c => [c.width, c.top, c.first, c.last, c.series.map(s => s.generation)])"
        let rest = try await PageScript.json("\(members)(Model.chart(input, \(now)))", days)
        #expect(rest == #"[30,4,"2026-11-18","2026-11-20",[1,3]]"#)
    }

    @Test("Many days share bars; none at all are no chart")
    func long() async throws {
        let entry = "({day: new Date(i * 86400000).toISOString().slice(0, 10), generation: 1, checkpoints: i})"
        let many = "Array.from({length: 400}, (_, i) => \(entry))"
        let width = try await PageScript.json("(c => [c.bars.length <= 62, c.top])(Model.chart(\(many), 399 * 86400000))")
        #expect(width == "[true,399]")
        #expect(try await PageScript.value("Model.chart([], 0)") == .null)
        #expect(try await PageScript.value("Model.chart(null, 0)") == .null)
    }
}
