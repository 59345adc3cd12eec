import Coordination
import Documents
import Gateway
import HTTP
import HTTPTypes
import LegacyTestSupport
import NIOCore
import Storage
import Testing

@testable import LegacyServer

@Suite("Split rows of documents in conflict, for Couchbase Lite")
struct PartedRowTests {
    private static let couchbaseLite: HTTPFields = [.userAgent: "CouchbaseLite/1.4.4 (Java Linux/1.4.4)"]

    /// `a`, then `b` with three leaves, then `c`.
    private func bridge() async throws -> Bridge {
        let bridge = try await Bridge()
        try await bridge.push(
            #"{"_id":"a","_rev":"1-x"}"#, #"{"_id":"b","_rev":"1-x"}"#, #"{"_id":"b","_rev":"1-y"}"#, #"{"_id":"b","_rev":"1-z"}"#,
            #"{"_id":"c","_rev":"1-x"}"#)
        return bridge
    }

    private func rows(_ answer: Answer) throws -> [String] {
        try #require(try answer.json["results"]?.array).map { row in
            let leaves = row["changes"]?.array?.compactMap { $0["rev"]?.string } ?? []
            return "\(row["seq"]?.int ?? 0) \(row["id"]?.string ?? "") \(leaves.joined(separator: " "))"
        }
    }

    @Test("The last leaf has a row of its own; the other leaves have the sequence before it, from which the document is sent again")
    func parts() async throws {
        let bridge = try await bridge()
        let whole = try rows(try await bridge.send(.get, "/db/_changes?style=all_docs"))
        let last = try #require(whole.last?.split(separator: " ").first.flatMap { Int($0) })
        #expect(whole == ["\(last - 4) a 1-x", "\(last - 1) b 1-z 1-y 1-x", "\(last) c 1-x"])
        for feed in ["normal", "longpoll"] {
            let answer = try await bridge.send(.get, "/db/_changes?feed=\(feed)&style=all_docs", headers: Self.couchbaseLite)
            let rows = try rows(answer)
            #expect(rows == ["\(last - 4) a 1-x", "\(last - 2) b 1-z 1-y", "\(last - 1) b 1-x", "\(last) c 1-x"])
            #expect(try answer.json["last_seq"] == .string("\(last)"))
        }
        // A feed from the first of the two rows on sends the whole document again; a feed from the second row on sends nothing of it.
        let parted = ["\(last - 2) b 1-z 1-y", "\(last - 1) b 1-x", "\(last) c 1-x"]
        for (since, expected) in [(last - 2, parted), (last - 1, ["\(last) c 1-x"])] {
            let answer = try await bridge.send(.get, "/db/_changes?style=all_docs&since=\(since)", headers: Self.couchbaseLite)
            #expect(try rows(answer) == expected)
        }
    }

    @Test("A limit counts documents, so both rows of a document are sent")
    func limit() async throws {
        let answer = try await bridge().send(.get, "/db/_changes?style=all_docs&limit=2", headers: Self.couchbaseLite)
        #expect(try rows(answer).map { $0.split(separator: " ")[1] } == ["a", "b", "b"])
    }

    @Test(
        "Rows of winners alone, descending rows and rows with documents are not split",
        arguments: ["", "style=all_docs&descending=true", "style=all_docs&include_docs=true"])
    func whole(_ query: String) async throws {
        let answer = try await bridge().send(.get, "/db/_changes?\(query)", headers: Self.couchbaseLite)
        #expect(try rows(answer).count == 3)
    }

    @Test("Rows are split in the WebSocket feed, which only Couchbase Lite follows", .timeLimit(.minutes(5)))
    func webSocket() async throws {
        let bridge = try await bridge()
        let (client, server) = WebSocketPair.make()
        let feed = WebSocketChanges(
            keyspace: bridge.database.unified, query: Query([]), limits: bridge.listener.limits, shutdown: StopSignal())
        let task = Task { try await feed.run(server) }
        try await client.send(.text(#"{"feed":"websocket","heartbeat":300000,"style":"all_docs"}"#))
        let message = try #require(try await client.receive()?.first)
        #expect(try JSONValue(message.bytes).array?.map { $0["changes"]?.array?.count } == [1, 2, 1, 1])
        await client.close(code: .normalClosure, reason: "")
        try await task.value
    }

    @Test("During the backfill of a channel, the sequence before the row is a position of the backfill")
    func trigger() throws {
        var row = ChangeRow(sequence: SequenceNumber(5), id: "a", revision: "3-d", otherLeaves: ["3-c"], isDeleted: true, bodySize: 9)
        row.trigger = SequenceNumber(9)
        let (others, last) = try #require(row.parted)
        #expect(others.position == FeedPosition(SequenceNumber(4), trigger: SequenceNumber(9)) && last.position == row.position)
        #expect(others.isDeleted && last.isDeleted && others.otherLeaves.isEmpty && last.otherLeaves.isEmpty)
        #expect(others.revision == "3-d" && last.revision == "3-c")
    }
}
