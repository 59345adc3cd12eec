import Coordination
import Documents
import Foundation
import Gateway
import LegacyTestSupport
import TestSupport
import Testing

@testable import LegacyClient

@Suite("1.x replication with a server that misbehaves", .timeLimit(.minutes(5)))
struct MisbehavingServerTests {
    private static let statuses = [400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 429, 500, 501, 502, 503, 504]

    private func fixture(
        _ direction: ReplicationDirection, count: Int = 5, maximumWaits: Int = 1_000, serverName: String = "Couchbase Sync Gateway/3.2"
    ) async throws -> ReplicationFixture {
        let fixture = try await ReplicationFixture(serverName: serverName, maximumWaits: maximumWaits)
        let bridge = direction == .push ? fixture.here : fixture.there.bridge
        for number in 0..<count { try await bridge.push(#"{"_id":"d\#(number)","_rev":"1-a","n":\#(number)}"#) }
        return fixture
    }

    @Test(
        "Nothing is lost whatever the response to a request, and the next run transfers everything",
        arguments: [
            (.pull, "GET _local"), (.pull, "POST _changes"), (.pull, "POST _bulk_get"), (.pull, "PUT _local"), (.push, "GET _local"),
            (.push, "POST _revs_diff"), (.push, "POST _bulk_docs"), (.push, "PUT _local"),
        ] as [(ReplicationDirection, String)])
    func statuses(direction: ReplicationDirection, stage: String) async throws {
        for status in Self.statuses {
            let fixture = try await fixture(direction)
            fixture.there.misbehave { entry, _ in entry.name.hasPrefix(stage) ? .status(status, "no") : nil }
            let run = try await fixture.run(direction)
            #expect(run.status == .stopped && fixture.there.entries.count < 30, "\(status)")
            if let error = run.lastError { #expect(error.code.rawValue == status) }
            if [408, 429, 500, 502, 503, 504].contains(status), !stage.hasPrefix("PUT") {
                #expect(run.lastError != nil && fixture.clock.waits.prefix(2) == [4, 8], "\(status)")
            }
            fixture.there.misbehave { _, _ in nil }
            #expect(try await fixture.run(direction).lastError == nil)
            #expect(try await fixture.isEqual(), "\(status)")
            await fixture.there.close()
        }
    }

    /// The response to `_bulk_get` as CouchDB 2 and PouchDB Server send it, with all documents of the fixture.
    private static func jsonAnswer(_ count: Int) -> RemoteServer.Fault {
        let rows = (0..<count).map { #"{"id":"d\#($0)","docs":[{"ok":{"_id":"d\#($0)","_rev":"1-a","n":\#($0)}}]}"# }
        return .answer(200, #"{"results":[\#(rows.joined(separator: ","))]}"#, ["Content-Type": "application/json"])
    }

    @Test("A server that responds to _bulk_get with JSON, which is read as a whole, is asked for few documents at a time")
    func json() async throws {
        let fixture = try await fixture(.pull, count: 20, serverName: "CouchDB/2.3.1 (Erlang OTP/21)")
        fixture.there.misbehave { entry, _ in entry.name == "POST _bulk_get" ? Self.jsonAnswer(20) : nil }
        var limits = ReplicationLimits()
        limits.jsonBatch = 6
        limits.concurrency = 1
        #expect(try await fixture.run(.pull, limits: limits).lastError == nil)
        #expect(fixture.there.names.count { $0 == "POST _bulk_get" } >= 4)
        #expect(try await fixture.isEqual())
        await fixture.there.close()
    }

    @Test("Every document of a JSON response that is too large is requested alone")
    func largeJSON() async throws {
        let fixture = try await fixture(.pull, count: 20)
        fixture.there.misbehave { entry, _ in entry.name == "POST _bulk_get" ? Self.jsonAnswer(20) : nil }
        var limits = ReplicationLimits()
        limits.answerSize = 500
        #expect(try await fixture.run(.pull, limits: limits).lastError == nil)
        #expect(fixture.there.names.count { $0.hasPrefix("GET d") } == 20)
        #expect(try await fixture.isEqual())
        await fixture.there.close()
    }

    @Test(
        "The next run continues after a server that dies at any request, at the start or in the middle of its response", arguments: [0, 30])
    func dying(bytes: Int) async throws {
        for direction in ReplicationDirection.allCases {
            for number in 0..<6 {
                let fixture = try await fixture(direction)
                fixture.there.misbehave { _, count in count >= number ? .cut(bytes) : nil }
                _ = try await fixture.run(direction)
                fixture.there.misbehave { _, _ in nil }
                fixture.there.clearEntries()
                let second = try await fixture.run(direction)
                #expect(second.lastError == nil, "\(direction) \(number)")
                #expect(try await fixture.isEqual(), "\(direction) \(number)")
                // Documents of the first run are not transferred again.
                fixture.there.clearEntries()
                try await fixture.run(direction)
                #expect(!fixture.there.names.contains { $0 == "POST _bulk_get" || $0 == "POST _bulk_docs" })
                await fixture.there.close()
            }
        }
    }

    @Test("Each revision of repeated and reordered rows is fetched once")
    func duplicateRows() async throws {
        let fixture = try await fixture(.pull, count: 50)
        fixture.there.misbehave { entry, _ in
            guard entry.name == "POST _changes" else { return nil }
            return .rewrite { text in
                let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: ["\r", ","]) }
                let rows = lines.filter { $0.hasPrefix(#"{"seq""#) }
                return "{\"results\":[\((rows.reversed() + rows + rows.suffix(3)).joined(separator: ","))],\"last_seq\":1}"
            }
        }
        let pull = try await fixture.run(.pull)
        #expect(pull.lastError == nil && pull.changesCount >= 50)
        #expect(fixture.there.names.count { $0 == "POST _bulk_get" } <= 2)
        #expect(try await fixture.isEqual())
        await fixture.there.close()
    }

    @Test("A wrong checkpoint loses nothing")
    func lyingCheckpoint() async throws {
        for direction in ReplicationDirection.allCases {
            let fixture = try await fixture(direction)
            let lie = #"{"_id":"_local/x","_rev":"0-1","lastSequence":"9999999999999"}"#
            fixture.there.misbehave { entry, _ in entry.name.hasPrefix("GET _local") ? .answer(200, lie, [:]) : nil }
            #expect(try await fixture.run(direction).lastError == nil)
            #expect(try await fixture.isEqual())
            let bridge = direction == .push ? fixture.here : fixture.there.bridge
            try await bridge.push(#"{"_id":"later","_rev":"1-a"}"#)
            #expect(try await fixture.run(direction).lastError == nil)
            #expect(try await fixture.isEqual())
            await fixture.there.close()
        }
    }

    @Test("A feed that goes back for ever is requested with growing delays, and nothing is fetched twice")
    func backInTime() async throws {
        let fixture = try await fixture(.pull, maximumWaits: 5)
        let rows = #"{"results":[{"seq":1,"id":"d0","changes":[{"rev":"1-a"}]}],"last_seq":1}"#
        fixture.there.misbehave { entry, _ in
            entry.path.contains("feed=websocket")
                ? .status(404, "no") : entry.path.contains("feed=longpoll") ? .answer(200, rows, [:]) : nil
        }
        let pull = try fixture.replication(.pull)
        pull.continuous = true
        pull.start()
        await pull.wait { $0.status == .idle }
        await eventually { fixture.clock.waits.count > 5 }
        // A request that fails while the machine is busy is retried after two seconds, too.
        #expect(fixture.clock.waits.drop { $0 == 2 }.starts(with: [4, 8, 16, 32]))
        #expect(fixture.there.names.count { $0 == "POST _bulk_get" } == 1)
        #expect(fixture.there.names.count { $0.hasSuffix(" _changes") } < 40)
        pull.stop()
        await pull.waitUntilStopped()
        await fixture.there.close()
    }

    @Test("A continuous pull whose feed cannot be reopened is interrupted until it can", arguments: [429, 500, 503])
    func feedRefused(status: Int) async throws {
        let fixture = try await fixture(.pull)
        let isRefusing = Lock(false)
        fixture.there.misbehave { entry, _ in
            if entry.path.contains("feed=websocket") { return .status(404, "no") }
            guard entry.path.contains("feed=longpoll") else { return nil }
            // A response that ends at once, so that the feed is reopened.
            return isRefusing.withLock { $0 } ? .status(status, "not now") : .answer(200, #"{"results":[],"last_seq":1}"#, [:])
        }
        let pull = try fixture.replication(.pull)
        pull.continuous = true
        pull.start()
        await pull.wait { $0.status == .idle && !$0.isInterrupted }
        isRefusing.withLock { $0 = true }
        let refused = await pull.wait { $0.isInterrupted }
        #expect(refused.lastError?.code.rawValue == status)
        isRefusing.withLock { $0 = false }
        await pull.wait { $0.status == .idle && !$0.isInterrupted }
        pull.stop()
        await pull.waitUntilStopped()
        await fixture.there.close()
    }

    @Test("A refused revision is recorded, does not block others and is not retried; a transient failure is retried")
    func refusedRows() async throws {
        let fixture = try await fixture(.push)
        let rows = #"[{"id":"d1","status":403,"error":"forbidden","reason":"no"},{"id":"d2","error":"conflict","reason":"x"}]"#
        let server = fixture.there.bridge.database.unified
        fixture.there.misbehave { entry, _ in
            switch entry.name {
            case "POST _bulk_docs": .rewrite { _ in rows }
            // Pending documents include the refused ones.
            case "POST _revs_diff": .late({ _ = try? await server.purge(["d1", "d2"]) }, { $0 })
            default: nil
            }
        }
        let push = try await fixture.run(.push)
        #expect(push.lastError == nil && push.completedChangesCount == 5)
        #expect(push.failedDocuments.map { "\($0.id) \($0.error?.code.rawValue ?? 0)" } == ["d1 403", "d2 409"])
        fixture.there.clearEntries()
        #expect(try await fixture.run(.push).changesCount == 0)
        #expect(fixture.there.names.count == 1)
        try await fixture.here.push(#"{"_id":"late","_rev":"1-a"}"#)
        let busy = #"[{"id":"late","status":503,"error":"busy","reason":"x"}]"#
        fixture.there.misbehave { entry, _ in entry.name == "POST _bulk_docs" ? .answer(201, busy, [:]) : nil }
        #expect(try await fixture.run(.push).lastError?.code == .unavailable)
        fixture.there.misbehave { _, _ in nil }
        #expect(try await fixture.run(.push).changesCount == 1)
        await fixture.there.close()
    }

    @Test("A wrong attachment digest fails only its own document, and once")
    func wrongDigest() async throws {
        let fixture = try await fixture(.pull)
        let data = Data(String(repeating: "text ", count: 1_000).utf8).base64EncodedString()
        try await fixture.there.bridge.push(#"{"_id":"att","_rev":"1-a","_attachments":{"x":{"data":"\#(data)"}}}"#)
        fixture.there.misbehave { entry, _ in
            guard entry.name == "POST _bulk_get" || entry.name == "GET att" else { return nil }
            return .rewrite { $0.replacing(/"digest":"sha1-[^"]*"/, with: #""digest":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=""#) }
        }
        let pull = try await fixture.run(.pull)
        #expect(pull.lastError == nil)
        #expect(pull.failedDocuments.map(\.id) == ["att"] && pull.failedDocuments.first?.error?.code == .badAttachment)
        #expect(try await ReplicationFixture.contents(fixture.here).count == 5)
        fixture.there.clearEntries()
        #expect(try await fixture.run(.pull).changesCount == 0)
        await fixture.there.close()
    }

    @Test("Endless rows, malformed responses and unrequested revisions have no effect")
    func nonsense() async throws {
        let fixture = try await fixture(.pull)
        let long = #"{"results":[{"seq":1,"id":"\#(String(repeating: "x", count: 3_000_000))"#
        fixture.there.misbehave { entry, _ in entry.name == "POST _changes" ? .answer(200, long, [:]) : nil }
        #expect(try await fixture.run(.pull).lastError?.code == .tooLarge)
        for text in ["", "{}", "[]", #"{"results":5}"#, #"{"results":[{"seq":1}]}"#, #"{"results":[{"seq":{},"id":5}]}"#, "\u{0}"] {
            fixture.there.misbehave { entry, _ in entry.name == "POST _changes" ? .answer(200, text, [:]) : nil }
            #expect(try await fixture.run(.pull).lastError != nil, "\(text)")
        }
        let stranger = #"{"results":[{"id":"s","docs":[{"ok":{"_id":"s","_rev":"1-s"}}]}]}"#
        fixture.there.misbehave { entry, _ in entry.name == "POST _bulk_get" ? .answer(200, stranger, [:]) : nil }
        #expect(try await fixture.run(.pull).lastError == nil)
        #expect(try await fixture.isEqual())
        let push = try await self.fixture(.push)
        for text in ["", "{}", "5", "[", #"{"d0":5}"#] {
            push.there.misbehave { entry, _ in
                entry.name == "POST _bulk_docs" || text.contains("d0") && entry.name == "POST _revs_diff" ? .answer(200, text, [:]) : nil
            }
            #expect(try await push.run(.push).lastError?.code == .upstream, "\(text)")
        }
        await push.there.close()
        await fixture.there.close()
    }

    @Test("Without a server, a one-shot replication stops, and a continuous one is offline and retries until the server is there")
    func absent() async throws {
        let fixture = try await fixture(.pull, maximumWaits: 12)
        let url = fixture.there.url
        await fixture.there.close()
        let once = try fixture.replication(.pull, url: url)
        once.start()
        #expect(await once.waitUntilStopped().lastError?.isOffline == true)
        let pull = try fixture.replication(.pull, url: url)
        pull.continuous = true
        pull.start()
        await pull.wait { $0.status == .offline }
        #expect(pull.lastError?.code == .cannotConnect)
        pull.stop()
        #expect(await pull.waitUntilStopped().status == .stopped)
    }
}
