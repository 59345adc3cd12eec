import Coordination
import Documents
import Gateway
import HTTP
import HTTPTypes
import LegacyTestSupport
import NIOCore
import Testing

@testable import LegacyServer

@Suite("The WebSocket feed")
struct WebSocketFeedTests {
    private func feed(_ bridge: Bridge, shutdown: StopSignal = StopSignal()) -> WebSocketChanges {
        WebSocketChanges(keyspace: bridge.database.unified, query: Query([]), limits: bridge.listener.limits, shutdown: shutdown)
    }

    /// Receives messages until there are `count`.
    private func receive(_ count: Int, from socket: any WebSocketConnection) async throws -> [WebSocketMessage] {
        var messages: [WebSocketMessage] = []
        while messages.count < count, let batch = try await socket.receive() { messages += batch }
        return messages
    }

    @Test(
        "The feed sends the backlog, [] once, then rows as they come, with escaped brackets; options may be a binary message",
        .timeLimit(.minutes(5)))
    func rows() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"z]q","_rev":"1-x"}"#)
        let (client, server) = WebSocketPair.make()
        let feed = feed(bridge)
        let task = Task { try await feed.run(server) }
        try await client.send(.binary(Array(#"{"feed":"websocket","heartbeat":300000,"style":"all_docs"}"#.utf8)))
        let first = try await receive(2, from: client)
        #expect(first.map(\.text) == [#"[{"seq":1000000001,"id":"z\u005dq","changes":[{"rev":"1-x"}]}]"#, "[]"])
        #expect(first.allSatisfy { $0.kind == .text })
        try await bridge.push(#"{"_id":"b","_rev":"1-x"}"#)
        #expect(try await receive(2, from: client).map(\.text) == [#"[{"seq":1000000002,"id":"b","changes":[{"rev":"1-x"}]}]"#, ""])
        await client.close(code: .normalClosure, reason: "")
        try await task.value
    }

    @Test("accept_encoding sends one gzip stream over binary messages, while [] and heartbeats stay text", .timeLimit(.minutes(5)))
    func gzip() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"a","_rev":"1-x"}"#)
        let (client, server) = WebSocketPair.make()
        let feed = feed(bridge)
        let task = Task { try await feed.run(server) }
        try await client.send(.text(#"{"feed":"websocket","accept_encoding":"gzip"}"#))
        let first = try await receive(2, from: client)
        try await bridge.push(#"{"_id":"b","_rev":"1-x"}"#)
        let second = try await receive(2, from: client)
        #expect((first + second).map(\.kind) == [.binary, .text, .binary, .text])
        #expect((first + second).filter { $0.kind == .binary }.allSatisfy { $0.bytes.suffix(4).elementsEqual([0, 0, 0xff, 0xff]) })
        let inflater = try Inflater(maximumSize: 10_000)
        let plain = try (first + second).filter { $0.kind == .binary }.map { String(buffer: try inflater.write(.init(bytes: $0.bytes))) }
        #expect(
            plain == [
                #"[{"seq":1000000001,"id":"a","changes":[{"rev":"1-x"}]}]"#,
                #"[{"seq":1000000002,"id":"b","changes":[{"rev":"1-x"}]}]"#,
            ])
        await client.close(code: .normalClosure, reason: "")
        try await task.value
    }

    /// A 32-bit device's reading of the text in its checkpoint: a number, clamped to the largest value of the device, or a string.
    private static func reading32(_ text: String) throws -> String {
        text.allSatisfy(\.isNumber) ? String(Int32(clamping: try #require(Int64(text)))) : "\"\(text)\""
    }

    @Test(
        "A 32-bit iOS device continues from its checkpoint, marked or not", .timeLimit(.minutes(5)), arguments: [0, 700_000_000] as [Int64])
    func device32(reach: Int64) async throws {
        let bridge = try await Bridge()
        try await bridge.database.unified.noteUpstreamReach(reach)
        for id in ["a", "b"] { try await bridge.push("{\"_id\":\"\(id)\",\"_rev\":\"1-x\"}") }
        let last = try #require(try await bridge.send(.get, "/db/_changes?style=all_docs").json["last_seq"]?.string)
        #expect(last == (reach == 0 ? "1000000002" : "0:1000000002"))
        _ = try await bridge.send(.put, "/db/_local/c", json: "{\"lastSequence\":\"\(last)\"}")
        try await bridge.push(#"{"_id":"c","_rev":"1-x"}"#)
        let (client, server) = WebSocketPair.make()
        let feed = feed(bridge)
        let task = Task { try await feed.run(server) }
        let since = try Self.reading32(last)
        try await client.send(
            .text("{\"feed\":\"websocket\",\"heartbeat\":300000,\"style\":\"all_docs\",\"since\":\(since)}"))
        let place = reach == 0 ? "1000000003" : "\"0:1000000003\""
        #expect(
            try await receive(2, from: client).map(\.text) == [
                "[{\"seq\":\(place),\"id\":\"c\",\"changes\":[{\"rev\":\"1-x\"}]}]", "[]",
            ])
        await client.close(code: .normalClosure, reason: "")
        try await task.value
    }

    @Test(
        "Malformed options close the socket", .timeLimit(.minutes(5)),
        arguments: ["{", #"{"since":"bogus"}"#, #"{"filter":"app/x"}"#])
    func badOptions(_ options: String) async throws {
        let bridge = try await Bridge()
        let (client, server) = WebSocketPair.make()
        let feed = feed(bridge)
        let task = Task { try await feed.run(server) }
        try await client.send(.text(options))
        #expect(try await client.receive() == nil)
        #expect(client.closure?.code == .unexpectedCondition)
        try await task.value
    }

    @Test("A server that stops ends the feed", .timeLimit(.minutes(5)))
    func shutdown() async throws {
        let bridge = try await Bridge()
        let signal = StopSignal()
        let (client, server) = WebSocketPair.make()
        let feed = feed(bridge, shutdown: signal)
        let task = Task { try await feed.run(server) }
        try await client.send(.text("{}"))
        #expect(try await receive(1, from: client).map(\.text) == ["[]"])
        signal.raise()
        try await task.value
    }

    @Test("A request without an upgrade is 400, at which clients change to longpoll")
    func plain() async throws {
        let answer = try await Bridge().send(.get, "/db/_changes?feed=websocket")
        #expect(answer.status == 400)
        #expect(answer.text.contains("not websocket protocol"))
    }
}
