import Coordination
import Documents
import Gateway
import HTTPTypes
import LegacyTestSupport
import TestSupport
import Testing

@testable import LegacyClient

@Suite("1.x replication behind a proxy that responds in place of the server", .timeLimit(.minutes(5)))
struct ProxyAnswerTests {
    private static let statuses = [200, 400, 401, 403, 404, 405, 410, 413, 415, 451]

    private static func page(_ status: Int) -> RemoteServer.Fault {
        .answer(status, "<html><body>\(status)</body></html>", ["Content-Type": "text/html"])
    }

    private func fixture(_ direction: ReplicationDirection, count: Int = 3) async throws -> ReplicationFixture {
        let fixture = try await ReplicationFixture(serverName: "Couchbase Sync Gateway/2.8.4 EE", maximumWaits: .max)
        let bridge = direction == .push ? fixture.here : fixture.there.bridge
        for number in 0..<count { try await bridge.push(#"{"_id":"d\#(number)","_rev":"1-a","n":\#(number)}"#) }
        return fixture
    }

    @Test("A continuous pull continues after the outage and is not idle during it", arguments: statuses)
    func pull(status: Int) async throws {
        let fixture = try await fixture(.pull)
        fixture.there.misbehave { entry, _ in
            if entry.path.contains("feed=websocket") { return .status(404, "no") }
            // A response that ends at once, so that the feed is reopened.
            return entry.path.contains("feed=longpoll") ? .answer(200, #"{"results":[],"last_seq":1}"#, [:]) : nil
        }
        let pull = try fixture.replication(.pull)
        pull.continuous = true
        pull.start()
        await pull.wait { $0.status == .idle && !$0.isInterrupted }
        fixture.there.misbehave { _, _ in Self.page(status) }
        let held = await pull.wait { $0.isInterrupted }
        #expect(held.lastError?.origin == .intermediary && held.lastError?.message.contains("proxy") == true)
        try await fixture.there.bridge.push(#"{"_id":"late","_rev":"1-a"}"#)
        fixture.there.misbehave { _, _ in nil }
        await pull.wait { $0.status == .idle && !$0.isInterrupted && $0.checkedChangesCount >= 4 }
        try await fixture.waitUntilEqual()
        pull.stop()
        await pull.waitUntilStopped()
        await fixture.there.close()
    }

    @Test("A push continues after the outage, parks nothing and does not restart from the beginning", arguments: statuses)
    func push(status: Int) async throws {
        let fixture = try await fixture(.push)
        let push = try fixture.replication(.push)
        push.continuous = true
        push.start()
        await push.wait { $0.status == .idle }
        fixture.there.clearEntries()
        fixture.there.misbehave { _, _ in Self.page(status) }
        try await fixture.here.push(#"{"_id":"late","_rev":"1-a"}"#)
        let held = await push.wait { $0.isInterrupted }
        #expect(held.lastError?.origin == .intermediary)
        fixture.there.misbehave { _, _ in nil }
        try await fixture.waitUntilEqual()
        await push.wait { $0.status == .idle && !$0.isInterrupted }
        #expect(push.failedDocuments.isEmpty && push.change.restorations == 0)
        push.stop()
        await push.waitUntilStopped()
        await fixture.there.close()
    }

    @Test(
        "A one-shot replication retries such responses, and ends with the error if they persist", arguments: ReplicationDirection.allCases)
    func oneShot(direction: ReplicationDirection) async throws {
        let fixture = try await fixture(direction)
        fixture.there.misbehave { _, number in number < 2 ? Self.page(404) : nil }
        #expect(try await fixture.run(direction).lastError == nil)
        #expect(try await fixture.isEqual())
        fixture.there.misbehave { _, _ in Self.page(404) }
        let failed = try await fixture.run(direction)
        #expect(failed.lastError?.code == .notFound && failed.status == .stopped)
        await fixture.there.close()
    }

    @Test("A request that a proxy refuses by path or size, while it forwards others, counts as refused itself", arguments: [403, 404, 413])
    func oneDocument(status: Int) async throws {
        let push = try await fixture(.push)
        push.there.misbehave { entry, _ in
            // All documents together are too large, and one of them is by itself.
            entry.name == "POST _bulk_docs" || entry.name == "PUT d1" ? Self.page(status) : nil
        }
        let pushed = try await push.run(.push)
        #expect(pushed.lastError == nil && pushed.failedDocuments.map(\.id) == ["d1"])
        #expect(pushed.failedDocuments.first?.error?.origin == .filter)
        #expect(try await ReplicationFixture.contents(push.there.bridge).keys.sorted() == ["d0", "d2"])
        let pull = try await fixture(.pull)
        pull.there.misbehave { entry, _ in
            entry.name == "POST _bulk_get" || entry.name == "GET d1" ? Self.page(status) : nil
        }
        let pulled = try await pull.run(.pull)
        if status == 404 {
            // To the replicator, the server has no _bulk_get.
            #expect(pulled.lastError == nil && pulled.failedDocuments.map(\.id) == ["d1"])
            #expect(try await ReplicationFixture.contents(pull.here).keys.sorted() == ["d0", "d2"])
        }
        await push.there.close()
        await pull.there.close()
    }

    @Test("An expired session is renewed for the feed, over a WebSocket and by longpoll", arguments: ["websocket", "longpoll"])
    func session(feed: String) async throws {
        let fixture = try await fixture(.pull)
        let session = Lock(0)
        let hasEnded = Lock(false)
        fixture.there.misbehave { entry, _ in
            if entry.name == "POST _session" {
                let number = session.withLock { session in
                    session += 1
                    return session
                }
                return .answer(200, "{}", ["Set-Cookie": "SyncGatewaySession=s\(number); Path=/db"])
            }
            if entry.path.contains("feed=websocket"), feed == "longpoll" { return .status(404, "no") }
            if entry.path.contains("feed=\(feed)"), !hasEnded.withLock({ $0 }) {
                hasEnded.withLock { $0 = true }
                session.withLock { $0 += 1 }
            }
            let current = session.withLock { $0 }
            return entry.headers[.cookie]?.contains("=s\(current)") == true ? nil : .status(401, "Invalid session")
        }
        let pull = try fixture.replication(.pull)
        pull.continuous = true
        pull.authenticator = .basicAuthenticator(name: "u", password: "p")
        pull.start()
        await pull.wait { $0.status == .idle }
        await eventually { hasEnded.withLock({ $0 }) }
        try await fixture.there.bridge.push(#"{"_id":"late","_rev":"1-a"}"#)
        try await fixture.waitUntilEqual()
        #expect(session.withLock { $0 } == 3 && pull.lastError == nil)
        pull.stop()
        await pull.waitUntilStopped()
        await fixture.there.close()
    }

    @Test("A refused password stops a continuous replication, unless that continues after refusals until the password is valid")
    func refusal() async throws {
        let fixture = try await fixture(.pull)
        fixture.there.misbehave { entry, _ in entry.name == "POST _session" ? nil : .status(401, "Invalid login") }
        let pull = try fixture.replication(.pull)
        pull.continuous = true
        pull.authenticator = .basicAuthenticator(name: "u", password: "p")
        pull.start()
        #expect(await pull.waitUntilStopped().lastError?.code == .unauthorized)
        pull.goesOnAfterRefusals = true
        pull.start()
        let held = await pull.wait { $0.isInterrupted }
        #expect(held.status == .offline && held.lastError?.remedy == .logIn)
        fixture.there.misbehave { _, _ in nil }
        try await fixture.waitUntilEqual()
        await pull.wait { $0.status == .idle && !$0.isInterrupted }
        pull.stop()
        await pull.waitUntilStopped()
        await fixture.there.close()
    }
}
