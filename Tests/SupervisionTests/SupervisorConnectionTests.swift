import Foundation
import Testing

@testable import Supervision

@Suite("Messages between a supervisor and its process")
struct SupervisorConnectionTests {
    @Test("A notice is read as it was written")
    func notices() {
        let parts = [StartPart(.database, "shop"), StartPart(.replication, "shop/to the old server \"1\"\\")]
        for notice in parts.flatMap({ [StartMessage.begin($0), .settle($0)] }) + [.serving, .alive, .draining(0), .draining(3_600)] {
            #expect(notice.line.last == "\n")
            #expect(StartMessage(line: notice.line.dropLast()) == notice)
        }
    }

    @Test(
        "A malformed notice is ignored",
        arguments: [
            "", "serving now", "begin", "begin shop", "begin table shop", "end database shop", "draining", "draining -1",
            "draining 3601", "draining soon", String(repeating: "x", count: 5_000),
        ])
    func others(line: String) {
        #expect(StartMessage(line: line) == nil)
    }

    @Test("A held-back part is released, in the process and the supervisor, when its start on request is over")
    func released() throws {
        let shop = StartPart(.database, "shop")
        let pull = StartPart(.replication, "shop/pull")
        let other = StartPart(.database, "other")
        var start = SupervisedStart()
        (start.held, start.suspects) = ([shop], [pull])
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Descriptor.stream, 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let line = SupervisorConnection(start, descriptor: ends[1])
        #expect(line.held == [shop] && line.isHeld(shop) && !line.isHeld(pull) && line.isSuspect(pull))
        line.release(other)
        line.release(shop)
        line.settle(pull)
        #expect(line.held == [] && !line.isSuspect(pull))
        shutdown(ends[1], Int32(SHUT_WR))
        let told = try FileHandle(fileDescriptor: ends[0]).readToEnd() ?? Data()
        #expect(String(decoding: told, as: UTF8.self) == "settle database shop\nsettle replication shop/pull\n")
    }

    @Test("The end of a supervisor is detected, whether or not it has read all notices", arguments: [false, true])
    func end(isRead: Bool) async throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Descriptor.stream, 0, &ends) == 0)
        let (supervisor, process) = (ends[0], ends[1])
        try #require(write(process, "serving\n", 8) == 8)
        if isRead {
            var bytes = [UInt8](repeating: 0, count: 8)
            try #require(read(supervisor, &bytes, 8) == 8)
        }
        close(supervisor)
        Descriptor.awaitEnd(process)
        close(process)
    }

    @Test("An ending is passed to the next process")
    func follow() {
        var start = SupervisedStart()
        start.follow(.signalled(SIGILL))
        // Without a process there is no restart.
        start.follow(.unstarted(EAGAIN))
        #expect(start.restarts == 1 && start.lastReason == "signal 4 (SIGILL)" && start.lastTime != nil)
        start.follow(.exited(code: 2))
        #expect(start.restarts == 2 && start.lastReason == "exit code 2")
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

    @Test("A malformed variable is ignored", arguments: ["", "1", "[]", "{", "{\"restarts\":}"])
    func noStart(text: String) {
        #expect(SupervisedStart(json: text) == nil)
    }
}
