import Testing

@testable import Supervision

@Suite("What a supervisor and its process tell each other")
struct SupervisorLineTests {
    @Test("A notice is read as it was written")
    func notices() {
        let parts = [StartPart(.database, "shop"), StartPart(.replication, "shop/to the old server \"1\"\\")]
        for notice in parts.flatMap({ [StartNotice.begin($0), .settle($0)] }) + [.serving] {
            #expect(notice.line.last == "\n")
            #expect(StartNotice(line: notice.line.dropLast()) == notice)
        }
    }

    @Test(
        "What is no notice is passed over",
        arguments: [
            "", "serving now", "begin", "begin shop", "begin table shop", "end database shop", String(repeating: "x", count: 5_000),
        ])
    func others(line: String) {
        #expect(StartNotice(line: line) == nil)
    }

    @Test("A start is read as it was written")
    func start() {
        var start = SupervisedStart()
        #expect(SupervisedStart(json: start.json) == start)
        start.restarts = 7
        (start.lastReason, start.lastTime) = ("signal 4 (SIGILL)", 1_700_000_000)
        start.held = [StartPart(.database, "shop \"1\"")]
        start.suspects = [StartPart(.replication, "shop/a"), StartPart(.replication, "shop/b")]
        start.sockets = ["public 127.0.0.1:4984": 4, "admin [::1]:4985": 5]
        #expect(SupervisedStart(json: start.json) == start)
    }

    @Test("A variable that is no start is none", arguments: ["", "1", "[]", "{", "{\"restarts\":}"])
    func noStart(text: String) {
        #expect(SupervisedStart(json: text) == nil)
    }
}
