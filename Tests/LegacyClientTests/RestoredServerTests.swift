import Coordination
import Documents
import Gateway
import HTTPTypes
import LegacyTestSupport
import Logging
import TestSupport
import Testing

@testable import LegacyClient

@Suite("A 1.x server that is restored during a continuous replication", .timeLimit(.minutes(5)))
struct RestoredServerTests {
    private var limits: ReplicationLimits {
        var limits = ReplicationLimits()
        limits.trustedSilence = .zero
        return limits
    }

    func fixture(_ serverName: String) async throws -> ReplicationFixture {
        try await ReplicationFixture(serverName: serverName, maximumWaits: .max)
    }

    func write(_ ids: [String], to bridge: Bridge) async throws {
        for id in ids { try await bridge.push(#"{"_id":"\#(id)","_rev":"1-a"}"#) }
    }

    /// The server's halves of checkpoints.
    private func checkpoints(_ server: RemoteServer) -> Set<String> {
        Set(server.entries.filter { $0.method == "PUT" && $0.path.contains("/_local/") }.map(\.path))
    }

    /// Removes documents and all halves of checkpoints from the server.
    private func lose(_ ids: [String], _ server: RemoteServer) async throws {
        try await server.bridge.database.unified.purge(ids)
        for path in checkpoints(server) {
            // The replication may save its half again in the meantime.
            var status = 409
            while status == 409 {
                let revision = try JSONValue(Array(try await server.bridge.send(.get, path).text.utf8))["_rev"]?.string ?? ""
                status = try await server.bridge.send(.delete, "\(path)?rev=\(revision)").status
            }
            #expect(status == 200)
        }
    }

    @Test(
        "An idle push sends lost documents again before it overwrites its lost checkpoint",
        arguments: ["Couchbase Sync Gateway/2.8.4 EE", "CouchDB/3.3.3 (Erlang OTP/24)"])
    func push(serverName: String) async throws {
        let fixture = try await fixture(serverName)
        try await write(["a", "b"], to: fixture.here)
        let push = try fixture.replication(.push, limits: limits)
        push.continuous = true
        push.start()
        await push.wait { $0.status == .idle }
        try await write(["c"], to: fixture.here)
        try await fixture.waitUntilEqual()
        await push.wait { $0.status == .idle }
        try await lose(["a", "b", "c"], fixture.there)
        try await write(["d"], to: fixture.here)
        try await fixture.waitUntilEqual()
        // Twice where the loss falls between the last push and its checkpoint.
        let change = await push.wait { $0.status == .idle && !$0.isInterrupted && $0.restorations > 0 }
        #expect(change.lastRestoration?.code == .serverRestored)
        push.stop()
        await push.waitUntilStopped()
        await fixture.there.close()
    }

    @Test("A checkpoint that the server withholds for a while does not count as lost", arguments: ReplicationDirection.allCases)
    func keptBack(direction: ReplicationDirection) async throws {
        let fixture = try await fixture("CouchDB/3.4.3 (Erlang OTP/27)")
        let source = direction == .push ? fixture.here : fixture.there.bridge
        try await write(["a", "b"], to: source)
        let replication = try fixture.replication(direction, limits: limits)
        replication.continuous = true
        replication.start()
        await replication.wait { $0.status == .idle }
        await eventually { !checkpoints(fixture.there).isEmpty }
        let refused = Lock<Int?>(0)
        fixture.there.misbehave { entry, _ in
            guard entry.name.hasPrefix("GET _local") else { return nil }
            return refused.withLock { count in
                count.map { count = $0 + 1 }
                return count == nil ? nil : .status(403, "Account is temporarily locked due to multiple authentication failures")
            }
        }
        try await write(["c"], to: source)
        try await fixture.waitUntilEqual()
        await eventually { refused.withLock({ $0 != 0 }) }
        refused.withLock { $0 = nil }
        try await write(["d"], to: source)
        try await fixture.waitUntilEqual()
        await replication.wait { $0.status == .idle && !$0.isInterrupted }
        replication.stop()
        await replication.waitUntilStopped()
        #expect(replication.change.restorations == 0, "\(String(describing: replication.change.lastRestoration))")
        // It is saved again once it is readable.
        #expect(try await fixture.run(direction).change.restorations == 0)
        await fixture.there.close()
    }

    @Test(
        "A checkpoint that the server has stored does not count as lost if the response was lost",
        arguments: ["Couchbase Sync Gateway/2.8.4 EE", "CouchDB/3.4.3 (Erlang OTP/27)"], [true, false])
    func answerLost(serverName: String, isFirst: Bool) async throws {
        let fixture = try await fixture(serverName)
        let restorations = Lock(0)
        let settings = ReplicationSettings()
        let remote = try RemoteDatabase(
            try RemoteURL(fixture.there.url), settings: settings, limits: ReplicationLimits(), clock: fixture.clock)
        let id = LegacyCheckpointID(localUUID: "U", direction: .push, settings: settings, remoteURL: fixture.there.url)
        func keeper() -> CheckpointKeeper {
            CheckpointKeeper(
                id: id, direction: .push, keyspace: fixture.here.database.unified, remote: remote,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ) { _ in restorations.withLock { $0 += 1 } }
        }
        let first = keeper()
        #expect(try await first.load(initial: nil) == nil)
        if !isFirst {
            await first.advance(to: "1")
            await first.save()
        }
        let isCut = Lock(false)
        fixture.there.misbehave { entry, _ in
            guard entry.method == "PUT" else { return isCut.withLock { $0 } ? .status(503, "no") : nil }
            return isCut.withLock { isCut in
                defer { isCut = true }
                return isCut ? .status(503, "no") : .cut(0)
            }
        }
        for place in ["2", "3"] {
            await first.advance(to: place)
            await first.save()
        }
        fixture.there.misbehave { _, _ in nil }
        // Revisions after the last position at which the server was known to have everything are offered again.
        #expect(try await keeper().load(initial: nil) == (isFirst ? nil : "1"))
        #expect(restorations.withLock { $0 } == 0)
        // The continuing replication finds this out as well.
        await first.advance(to: "4")
        await first.save()
        #expect(try await keeper().load(initial: nil) == "4")
        #expect(await first.restoration == nil && restorations.withLock { $0 } == 0)
        await remote.close()
        await fixture.there.close()
    }

    @Test("A pull whose feed has failed restarts if the server's last sequence is lower than its position")
    func pull() async throws {
        let fixture = try await fixture("Couchbase Sync Gateway/2.8.4 EE")
        try await write(["a", "b"], to: fixture.there.bridge)
        let isFailing = Lock(false)
        let isLower = Lock(false)
        fixture.there.misbehave { entry, _ in
            if isFailing.withLock({ $0 }) { return .status(503, "no") }
            if entry.path.contains("feed=websocket") { return .status(404, "no") }
            if entry.method == "GET", entry.path == "/db/", isLower.withLock({ $0 }) {
                return .answer(200, #"{"db_name":"db","update_seq":5}"#, [:])
            }
            return entry.path.contains("feed=longpoll") ? .answer(200, #"{"results":[],"last_seq":1}"#, [:]) : nil
        }
        let pull = try fixture.replication(.pull, limits: limits)
        pull.continuous = true
        pull.start()
        await pull.wait { $0.status == .idle && !$0.isInterrupted }
        try await write(["c"], to: fixture.there.bridge)
        isFailing.withLock { $0 = true }
        await pull.wait { $0.isInterrupted }
        isLower.withLock { $0 = true }
        isFailing.withLock { $0 = false }
        // The feed from the position would have no rows; the feed from the beginning has them.
        try await fixture.waitUntilEqual()
        #expect(pull.change.restorations >= 1)
        pull.stop()
        await pull.waitUntilStopped()
        await fixture.there.close()
    }

    @Test(
        "A pull checks a server that lacks an announced revision, and restarts if the server has returned to a backup",
        arguments: [true, false])
    func announced(isContinuous: Bool) async throws {
        let fixture = try await fixture("Couchbase Sync Gateway/2.8.4 EE")
        try await write(["a"], to: fixture.there.bridge)
        let isGone = Lock(true)
        fixture.there.misbehave { entry, _ in
            guard isGone.withLock({ $0 }), entry.method == "GET" else { return nil }
            if entry.path == "/db/" { return .answer(200, #"{"db_name":"db","update_seq":5}"#, [:]) }
            return entry.path.hasPrefix("/db/a") ? .answer(404, #"{"error":"not_found","reason":"missing"}"#, [:]) : nil
        }
        let pull = try fixture.replication(.pull, limits: limits)
        pull.continuous = isContinuous
        pull.start()
        await pull.wait { $0.restorations > 0 }
        isGone.withLock { $0 = false }
        // The server has the document at the same sequence again. The one-shot pull ends with its result.
        if !isContinuous {
            await pull.waitUntilStopped()
            pull.start()
        }
        try await fixture.waitUntilEqual()
        pull.stop()
        await pull.waitUntilStopped()
        await fixture.there.close()
    }

    @Test("A checkpoint that was never saved on the server does not count as lost")
    func unsaved() async throws {
        for direction in ReplicationDirection.allCases {
            let fixture = try await fixture("Couchbase Sync Gateway/2.8.4 EE")
            try await write(["a"], to: direction == .push ? fixture.here : fixture.there.bridge)
            for _ in 0..<2 {
                fixture.there.misbehave { entry, _ in entry.name.hasPrefix("PUT _local") ? .status(403, "no") : nil }
                #expect(try await fixture.run(direction).change.restorations == 0)
            }
            fixture.there.misbehave { _, _ in nil }
            #expect(try await fixture.run(direction).change.restorations == 0)
            // From then on it was.
            try await lose(["a"], fixture.there)
            #expect(try await fixture.run(direction).change.restorations == 1)
            #expect(try await fixture.run(direction).change.restorations == 0)
            await fixture.there.close()
        }
    }

    /// Removes documents from the server while a push confirms its position, as if the backup was older than they are.
    ///
    /// - Parameter times: The number of removals.
    func lose(_ id: String, whenSaved times: Int, by fixture: ReplicationFixture) {
        let left = Lock(times)
        let keyspace = fixture.there.bridge.database.unified
        fixture.there.misbehave { entry, _ in
            guard entry.name.hasPrefix("PUT _local"),
                left.withLock({
                    $0 -= 1; return $0 >= 0
                })
            else { return nil }
            return .late({ _ = try? await keyspace.purge([id]) }, { $0 })
        }
    }

    @Test(
        "Documents that the server lost between a push and its checkpoint are sent again",
        arguments: ["Couchbase Sync Gateway/2.8.4 EE", "CouchDB/3.3.3 (Erlang OTP/24)"], [true, false])
    func lostBeforeCheckpoint(serverName: String, isFirst: Bool) async throws {
        let fixture = try await fixture(serverName)
        if !isFirst {
            try await write(["a"], to: fixture.here)
            try await fixture.run(.push)
        }
        lose("b", whenSaved: 1, by: fixture)
        try await write(["b"], to: fixture.here)
        let push = try fixture.replication(.push, limits: limits)
        push.continuous = true
        push.start()
        let change = await push.wait { $0.restorations > 0 }
        #expect(change.lastRestoration?.message.contains("it lacks 1 of the revisions that it has just accepted") == true)
        try await fixture.waitUntilEqual()
        push.stop()
        await push.waitUntilStopped()
        await fixture.there.close()
    }

    @Test("A server that replaces another in the middle of a push gets the documents that the first one received")
    func replacedUnderway() async throws {
        let fixture = try await fixture("Couchbase Sync Gateway/2.8.4 EE")
        var limits = limits
        limits.batch = 1
        limits.concurrency = 1
        let ids = ["a", "b", "c", "d", "e"]
        try await write(ids, to: fixture.here)
        lose("a", whenSaved: 1, by: fixture)
        #expect(try await fixture.run(.push, limits: limits).lastError?.code == .serverRestored)
        #expect(try await fixture.run(.push, limits: limits).lastError == nil)
        #expect(try await Set(ReplicationFixture.contents(fixture.there.bridge).keys) == Set(ids))
        await fixture.there.close()
    }

    @Test("Documents that the server accepts and does not keep are sent twice, and do not block others")
    func notKept() async throws {
        let fixture = try await fixture("Couchbase Sync Gateway/2.8.4 EE")
        lose("b", whenSaved: .max, by: fixture)
        try await write(["a", "b"], to: fixture.here)
        #expect(try await fixture.run(.push).lastError?.code == .serverRestored)
        #expect(try await fixture.run(.push).lastError == nil)
        #expect(fixture.there.names.count { $0 == "POST _bulk_docs" } == 2)
        fixture.there.clearEntries()
        #expect(try await fixture.run(.push).lastError == nil)
        #expect(fixture.there.names.count == 1)
        try await write(["c"], to: fixture.here)
        #expect(try await fixture.run(.push).lastError == nil)
        #expect(try await Set(ReplicationFixture.contents(fixture.there.bridge).keys) == ["a", "c"])
        await fixture.there.close()
    }

    @Test("A push that ended before it had confirmed the server's state offers its revisions again")
    func unconfirmed() async throws {
        let fixture = try await fixture("Couchbase Sync Gateway/2.8.4 EE")
        try await write(["a"], to: fixture.here)
        try await fixture.run(.push)
        try await write(["b"], to: fixture.here)
        let isSaved = Lock(false)
        fixture.there.misbehave { entry, _ in
            if entry.name.hasPrefix("PUT _local") { isSaved.withLock { $0 = true } }
            return entry.name == "POST _revs_diff" && isSaved.withLock { $0 } ? .status(503, "no") : nil
        }
        try await fixture.run(.push)
        #expect(try await fixture.isEqual())
        fixture.there.misbehave { _, _ in nil }
        try await fixture.there.bridge.database.unified.purge(["b"])
        #expect(try await fixture.run(.push).lastError == nil)
        #expect(try await fixture.isEqual())
        await fixture.there.close()
    }

    @Test(
        "The server's half of a checkpoint goes back, too, if the server was restored while it was saved",
        arguments: ReplicationDirection.allCases)
    func withdrawn(direction: ReplicationDirection) async throws {
        let fixture = try await fixture("Couchbase Sync Gateway/2.8.4 EE")
        let source = direction == .push ? fixture.here : fixture.there.bridge
        func half() async throws -> String? {
            let path = try #require(checkpoints(fixture.there).first)
            return try JSONValue(Array(try await fixture.there.bridge.send(.get, path).text.utf8))["lastSequence"]?.string
        }
        try await write(["a"], to: source)
        try await fixture.run(direction)
        let place = try await half()
        lose("b", whenSaved: 1, by: fixture)
        try await write(["b"], to: source)
        #expect(try await fixture.run(direction).lastError?.code == .serverRestored)
        #expect(try await half() == place)
        await fixture.there.close()
    }
}
