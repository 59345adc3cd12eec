import Access
import Coordination
import Documents
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import LegacyTestSupport
import NIOCore
import Storage
import Testing

@testable import LegacyProtocol
@testable import LegacyServer

@Suite("Feeds")
struct FeedTests {
    @Test("The last line of a continuous feed that has reached its limit has the number of pending rows")
    func pending() async throws {
        let bridge = try await Bridge()
        for number in 0..<7 { try await bridge.push("{\"_id\":\"d\(number)\",\"_rev\":\"1-x\"}") }
        for (query, count) in [("limit=2", 5), ("limit=7", 0), ("limit=1&filter=_doc_ids&doc_ids=d1,d3,d5", 2)] {
            let text = try await bridge.send(.get, "/db/_changes?feed=continuous&\(query)").text
            #expect(text.hasSuffix("\"pending\":\(count)}\n"), "\(query): \(text)")
        }
    }

    @Test("A document with a lone surrogate does not stop a feed")
    func loneSurrogate() async throws {
        let bridge = try await Bridge()
        #expect(try await bridge.send(.put, "/db/x", json: #"{"t":"\ud83d","o":{"a":1,"a":2}}"#).status == 201)
        #expect(try await bridge.send(.put, "/db/y", json: #"{"t":"z"}"#).status == 201)
        let selector = #"{"filter":"_selector","selector":{"t":{"$gt":"a"}}}"#
        let rows = try await bridge.send(.post, "/db/_changes", json: selector).json["results"]?.array
        #expect(rows?.map { $0["id"]?.string } == ["x", "y"])
        #expect(try await bridge.send(.get, "/db/_changes?filter=_design").json["results"]?.array?.isEmpty == true)
    }

    /// Starts to read a response. The task ends with the response.
    private func read(_ response: Response) -> (sink: Sink, task: Task<Void, any Error>) {
        let sink = Sink()
        return (sink, Task { try await response.body.write(SinkWriter(sink: sink)) })
    }

    private func quick() -> LegacyLimits {
        var limits = LegacyLimits()
        limits.minimumHeartbeat = .milliseconds(20)
        return limits
    }

    @Test("longpoll sends its head at once, ends after a write and sends a complete response", .timeLimit(.minutes(5)))
    func longpoll() async throws {
        let bridge = try await Bridge()
        let (sink, task) = read(try await bridge.respond(.get, "/db/_changes?feed=longpoll&heartbeat=30000"))
        await sink.wait(for: "{\"results\":[\r\n")
        try await bridge.push(#"{"_id":"a","_rev":"1-x"}"#)
        try await task.value
        let text = await sink.text
        #expect(text.hasPrefix("{\"results\":[\r\n{\"seq\":"))
        #expect(text.hasSuffix("\"id\":\"a\",\"changes\":[{\"rev\":\"1-x\"}]}\n],\n\"last_seq\":\"1000000001\"}\n"))
    }

    @Test(
        "longpoll ends after a move for a user of other channels of the new collection, and sends documents that came and left",
        .timeLimit(.minutes(5)))
    func moved() async throws {
        let orders = CollectionName(scope: "sales", name: "orders")
        let bridge = try await Bridge {
            $0.collections = [CollectionConfiguration(name: orders, syncFunction: "function (doc) { channel(doc.channels); }")]
            $0.routes = [Route(to: orders, when: .idPrefix("o"))]
        }
        var change = AccountChange()
        change.channels = ["a"]
        change.collections = [try #require(bridge.database.collectionKey(orders)): ["x"]]
        try await Accounts(bridge.store).put(.user("anna"), change)
        let remainder = try #require(bridge.database.keyspace(.default))
        for (id, channel) in [("o1", "a"), ("o2", "x"), ("q", "a")] {
            _ = try await remainder.write(
                RevisionWrite(id: id, kind: .edit(parent: nil), isDeleted: false, body: Array(#"{"channels":["\#(channel)"]}"#.utf8)))
        }
        let since = try await bridge.database.unified.lastSequence()
        let (_, task) = read(
            try await bridge.respond(.get, "/db/_changes?feed=longpoll&heartbeat=30000&since=\(since)", as: .user("anna")))
        var steps = bridge.database.moveSteps(of: try await bridge.database.beginMoves(fingerprint: "x"))
        while try await steps.next(limit: 10) != nil {}
        try await task.value
        let answer = try await Answer(try await bridge.respond(.get, "/db/_changes?since=\(since)", as: .user("anna"))).json
        let rows = try #require(answer["results"]?.array)
        #expect(rows.map { $0["id"]?.string } == ["o1", "o2"])
        #expect(rows.map { $0["removed"] != nil } == [true, false])
        let revision = try #require(rows[0]["changes"]?.array?.first?["rev"]?.string)
        let body = try await Answer(try await bridge.respond(.get, "/db/o1?rev=\(revision)", as: .user("anna"))).json
        #expect(body["_removed"] == .bool(true))
    }

    @Test("longpoll sends heartbeats as newlines, and rows after them", .timeLimit(.minutes(5)))
    func heartbeats() async throws {
        let bridge = try await Bridge(limits: quick())
        let (sink, task) = read(try await bridge.respond(.get, "/db/_changes?feed=longpoll&heartbeat=20"))
        await sink.wait(for: "[\r\n\n\n\n")
        try await bridge.push(#"{"_id":"a","_rev":"1-x"}"#)
        try await task.value
        #expect(try await JSONValue(sink.bytes)["results"]?.array?.count == 1)
    }

    @Test("longpoll ends with complete JSON at a timeout", .timeLimit(.minutes(5)))
    func timeout() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"a","_rev":"1-x"}"#)
        let answer = try await bridge.send(.get, "/db/_changes?feed=longpoll&timeout=20&since=now")
        #expect(answer.text == "{\"results\":[\r\n],\n\"last_seq\":\"1000000001\"}\n")
    }

    @Test("longpoll responds at once if there are rows already", .timeLimit(.minutes(5)))
    func immediate() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"a","_rev":"1-x"}"#, #"{"_id":"b","_rev":"1-x"}"#)
        let answer = try await bridge.send(.get, "/db/_changes?feed=longpoll&since=0&limit=1")
        #expect(try answer.json["results"]?.array?.count == 1)
        #expect(try answer.json["last_seq"] == .string("1000000001"))
    }

    @Test("longpoll continues after a write that its filter excludes", .timeLimit(.minutes(5)))
    func filtered() async throws {
        let bridge = try await Bridge(limits: quick())
        let response = try await bridge.respond(
            .post, "/db/_changes?feed=longpoll&heartbeat=20", headers: [.contentType: "application/json"],
            body: Array(#"{"filter":"_doc_ids","doc_ids":["b"]}"#.utf8))
        let (sink, task) = read(response)
        await sink.wait(for: "[\r\n")
        try await bridge.push(#"{"_id":"a","_rev":"1-x"}"#)
        await sink.wait(for: "\n\n")
        try await bridge.push(#"{"_id":"b","_rev":"1-x"}"#)
        try await task.value
        #expect(try await JSONValue(sink.bytes)["results"]?.array?.map { $0["id"] } == [.string("b")])
    }

    @Test("A server that stops ends feeds with complete JSON", .timeLimit(.minutes(5)))
    func shutdown() async throws {
        let bridge = try await Bridge()
        let (sink, task) = read(try await bridge.respond(.get, "/db/_changes?feed=longpoll&heartbeat=30000"))
        let (lines, second) = read(try await bridge.respond(.get, "/db/_changes?feed=continuous&heartbeat=30000"))
        await sink.wait(for: "[")
        await lines.wait(for: "\n")
        bridge.info.shutdown.raise()
        try await task.value
        try await second.value
        #expect(try await JSONValue(sink.bytes)["results"]?.array?.isEmpty == true)
        #expect(await lines.text == "\n{\"last_seq\":\"1000000000\",\"pending\":0}\n")
    }

    @Test("A client that disconnects ends its feed", .timeLimit(.minutes(5)))
    func cancellation() async throws {
        let bridge = try await Bridge()
        let (sink, task) = read(try await bridge.respond(.get, "/db/_changes?feed=longpoll&heartbeat=30000"))
        await sink.wait(for: "[")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(
        "continuous sends one row per line, a blank line whenever it has caught up, and last_seq after a timeout", .timeLimit(.minutes(5)))
    func continuous() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"a","_rev":"1-x"}"#)
        let response = try await bridge.respond(.get, "/db/_changes?feed=continuous&heartbeat=30000")
        #expect(response.headers[.contentType] == "application/octet-stream")
        let (sink, task) = read(response)
        await sink.wait(for: "{\"seq\":1000000001,\"id\":\"a\",\"changes\":[{\"rev\":\"1-x\"}]}\n\n")
        try await bridge.push(#"{"_id":"b","_rev":"1-x"}"#)
        await sink.wait(for: "\n\n{\"seq\":1000000002,\"id\":\"b\",\"changes\":[{\"rev\":\"1-x\"}]}\n\n")
        task.cancel()
        let ended = try await bridge.send(.get, "/db/_changes?feed=continuous&timeout=20&since=now")
        #expect(ended.text == "\n{\"last_seq\":\"1000000002\",\"pending\":0}\n")
    }

    @Test("eventsource sends CouchDB's events, and a browser that reconnects continues after its last event", .timeLimit(.minutes(5)))
    func events() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"a","_rev":"1-x"}"#)
        let response = try await bridge.respond(.get, "/db/_changes?feed=eventsource")
        #expect(response.headers[.contentType] == "text/event-stream")
        let (sink, task) = read(response)
        await sink.wait(
            for: "data: {\"seq\":1000000001,\"id\":\"a\",\"changes\":[{\"rev\":\"1-x\"}]}\nid: 1000000001\n\n:\n\n")
        try await bridge.push(#"{"_id":"b","_rev":"1-x"}"#)
        await sink.wait(for: "\nid: 1000000002\n\n")
        task.cancel()
        let name = try #require(HTTPField.Name("Last-Event-ID"))
        let again = try await bridge.send(
            .get, "/db/_changes?feed=eventsource&since=0&timeout=20", headers: [name: "1000000001"])
        #expect(again.text.hasPrefix("data: {\"seq\":1000000002,") && again.text.hasSuffix("\nid: 1000000002\n\n:\n\n"))
    }

    @Test("eventsource sends heartbeats as events", .timeLimit(.minutes(5)))
    func eventHeartbeats() async throws {
        let bridge = try await Bridge(limits: quick())
        let (sink, task) = read(try await bridge.respond(.get, "/db/_changes?feed=eventsource&heartbeat=20"))
        await sink.wait(for: "event: heartbeat\ndata: \n\nevent: heartbeat\ndata: \n\n")
        task.cancel()
    }

    @Test("A document that was written over several lines is sent in one line", arguments: ["continuous", "eventsource"])
    func lines(_ feed: String) async throws {
        let bridge = try await Bridge()
        try await bridge.push("{\r\n  \"_id\": \"a\",\n \"_rev\": \"1-x\",\n \"n\": [1,\n2],\r\n \"t\": \"x\\ny\"\n}")
        let text = try await bridge.send(.get, "/db/_changes?feed=\(feed)&include_docs=true&timeout=20").text
        let line = try #require(text.split(separator: "\n").first)
        let row = try JSONValue(Array(line.drop { $0 != "{" }.utf8))
        #expect(row["doc"]?["n"] == .array([.number("1"), .number("2")]) && row["doc"]?["t"] == .string("x\ny"))
    }

    @Test("A feed in small batches has the rows of one large batch, and its limit applies across batches", .timeLimit(.minutes(5)))
    func batches() async throws {
        var limits = LegacyLimits()
        limits.changesBatch = 3
        limits.readBatch = 2
        let (small, whole) = (try await Bridge(limits: limits), try await Bridge())
        for bridge in [small, whole] {
            for number in 0..<10 { try await bridge.push("{\"_id\":\"d\(number)\",\"_rev\":\"1-x\",\"n\":\(number)}") }
            try await bridge.push(#"{"_id":"d3","_rev":"2-y","_revisions":{"start":2,"ids":["y","x"]},"_deleted":true}"#)
        }
        let queries = [
            "", "?limit=7", "?include_docs=true", "?active_only=true&limit=4", "?filter=_doc_ids&doc_ids=d1,d2,d9,d4", "?feed=longpoll",
            "?descending=true&limit=3", "?feed=continuous&timeout=10&limit=5", "?style=all_docs",
        ]
        for query in queries {
            let (some, all) = (try await small.send(.get, "/db/_changes" + query), try await whole.send(.get, "/db/_changes" + query))
            #expect(some.text == all.text, "\(query)")
        }
        let descending = try await whole.send(.get, "/db/_changes?descending=true&limit=2")
        #expect(try descending.json["results"]?.array?.map { $0["id"]?.string } == ["d3", "d9"])
    }

    @Test("A feed that cannot be read breaks off, because Java would read an error's body as a feed without rows")
    func broken() async throws {
        let bridge = try await Bridge()
        try await bridge.database.close()
        let response = try await bridge.respond(.post, "/db/_changes?feed=normal", body: Array("{}".utf8))
        #expect(response.status == .ok && response.headers[.contentLength] == nil)
        await #expect(throws: LegacyError.self) { try await response.body.write(SinkWriter(sink: Sink())) }
        #expect(try await bridge.send(.get, "/db/d").status == 503)
    }

    @Test("CouchDB's limit=0 gets no rows and the position of the feed")
    func nothing() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"a","_rev":"1-x"}"#)
        let answer = try await bridge.send(.get, "/db/_changes?since=0&limit=0", headers: [.userAgent: "CouchDB-Replicator/3.4.3"])
        #expect(answer.text == "{\"results\":[\r\n],\n\"last_seq\":\"0\"}\n")
    }
}
