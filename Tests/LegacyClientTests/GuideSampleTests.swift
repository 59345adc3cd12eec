import Documents
import Foundation
import Gateway
import HTTPTypes
import LegacyTestSupport
import LocalStore
import Testing

@testable import LegacyClient

/// The code of the 1.x guide, statement by statement, as in an app.
@Suite("Code samples of the 1.x guide", .timeLimit(.minutes(5)))
struct GuideSampleTests {
    /// The notifications of both replications of a pair.
    private actor Notifications {
        private(set) var all: [ReplicationChange] = []
        private var waiting: CheckedContinuation<Void, Never>?

        func record(_ change: ReplicationChange) {
            all.append(change)
            waiting?.resume()
            waiting = nil
        }

        func wait(_ condition: @Sendable ([ReplicationChange]) -> Bool) async {
            while !condition(all) { await withCheckedContinuation { waiting = $0 } }
        }
    }

    @Test("A pair from the database replicates continuously, and listeners see the progress of both")
    func pair() async throws {
        let fixture = try await ReplicationFixture()
        try await fixture.here.push(#"{"_id":"h","_rev":"1-a"}"#)
        try await fixture.there.bridge.push(#"{"_id":"t","_rev":"1-a"}"#)
        let database = LocalDatabase(fixture.here.database, path: "")
        let push = try database.createPushReplication(fixture.there.url)
        let pull = try database.createPullReplication(fixture.there.url)
        push.continuous = true
        pull.continuous = true
        #expect(push.direction == .push && pull.direction == .pull && push.localDatabase.name == pull.localDatabase.name)
        let notifications = Notifications()
        let tokens = [push.addChangeListener { await notifications.record($0) }, pull.addChangeListener { await notifications.record($0) }]
        push.start()
        pull.start()
        try await fixture.waitUntilEqual()
        for replication in [push, pull] { await replication.wait { $0.status == .idle && $0.completedChangesCount == $0.changesCount } }
        let total = push.changesCount + pull.changesCount
        let completed = push.completedChangesCount + pull.completedChangesCount
        #expect(total > 0 && completed == total)
        #expect(push.lastError == nil && pull.lastError == nil)
        await notifications.wait { $0.contains { $0.status == .active } && $0.contains { $0.status == .idle } }
        for (replication, token) in zip([push, pull], tokens) {
            replication.removeChangeListener(token)
            replication.stop()
            await replication.waitUntilStopped()
        }
        await fixture.there.close()
    }

    @Test("A conflict stays with both branches until the app saves one and deletes the other")
    func conflict() async throws {
        let fixture = try await ReplicationFixture()
        let documents = LocalDatabase(fixture.here.database, path: "").unified
        try await fixture.here.push(#"{"_id":"d","_rev":"1-a","n":1}"#)
        try await fixture.there.bridge.push(#"{"_id":"d","_rev":"1-b","n":2}"#)
        let pull = try documents.createPullReplication(fixture.there.url)
        pull.start()
        #expect(await pull.waitUntilStopped().failure == nil)
        let revisions = try await documents.conflictingRevisions(of: "d")
        #expect(revisions.map { $0["n"]?.int } == [2, 1])
        var (winner, loser) = (try #require(revisions.first), try #require(revisions.last))
        winner["n"] = 3
        winner = try await documents.save(winner)
        try await documents.delete(loser)
        #expect(try await documents.conflictingRevisions(of: "d") == [winner])
        // The revision that was read first is not current.
        loser["n"] = 4
        await #expect { try await documents.save(loser) } throws: { ($0 as? LocalStoreError)?.code == .conflict }
        await fixture.there.close()
    }

    @Test("A replication is one-shot and unfiltered by default")
    func defaults() async throws {
        let fixture = try await ReplicationFixture()
        let pull = try LocalDatabase(fixture.here.database, path: "").createPullReplication(fixture.there.url)
        #expect(!pull.continuous && pull.filter == nil && pull.filterParams.isEmpty && pull.channels.isEmpty && pull.documentIDs == nil)
        #expect(pull.status == .stopped && pull.lastError == nil && pull.changesCount == 0 && !pull.createTarget)
        await fixture.there.close()
    }

    @Test("A registered push filter is found by its name and gets its parameter")
    func filter() async throws {
        let fixture = try await ReplicationFixture()
        try await fixture.here.push(#"{"_id":"w","_rev":"1-a","owner":"Waldo"}"#, #"{"_id":"x","_rev":"1-a","owner":"X"}"#)
        let push = try fixture.replication(.push)
        push.setFilter(named: "byOwner") { (revision, params) -> Bool in
            let nameParam = params["name"]?.string
            return nameParam != nil && nameParam == revision["owner"]?.string
        }
        push.filter = "byOwner"
        push.filterParams = ["name": .string("Waldo")]
        push.start()
        #expect(await push.waitUntilStopped().lastError == nil)
        #expect(try await ReplicationFixture.contents(fixture.there.bridge).keys.sorted() == ["w"])
        await fixture.there.close()
    }

    @Test("The session cookie from an app's server is sent until it expires", arguments: [true, false])
    func session(isOver: Bool) async throws {
        let fixture = try await ReplicationFixture()
        let session = [
            "session_id": "904ac010862f37c8dd99015a33ab5a3565fd8447",
            "expires": isOver ? "2015-09-23T17:27:17.555065803+01:00" : "2115-09-23T17:27:17.555065803+01:00",
            "cookie_name": "SyncGatewaySession",
        ]
        let date = try Date(#require(session["expires"]), strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        try await fixture.run(.pull) { pull in
            pull.setCookie(
                name: session["cookie_name"] ?? "", value: session["session_id"] ?? "", path: "/", expirationDate: date, secure: false)
        }
        let expected = isOver ? nil : "SyncGatewaySession=904ac010862f37c8dd99015a33ab5a3565fd8447"
        #expect(!fixture.there.entries.isEmpty && fixture.there.entries.allSatisfy { $0.headers[.cookie] == expected })
        await fixture.there.close()
    }

    @Test("Both counts restart when the replication goes from idle to active, and the byte counts continue")
    func counts() async throws {
        let fixture = try await ReplicationFixture()
        for number in 0..<3 { try await fixture.there.bridge.push(#"{"_id":"d\#(number)","_rev":"1-a"}"#) }
        let pull = try fixture.replication(.pull)
        pull.continuous = true
        pull.start()
        let first = await pull.wait { $0.status == .idle && $0.completedChangesCount == 3 }
        #expect(first.changesCount == 3 && first.byteCount > 0)
        try await fixture.there.bridge.push(#"{"_id":"d3","_rev":"1-a"}"#)
        let second = await pull.wait { $0.status == .idle && $0.completedChangesCount == 1 }
        #expect(second.changesCount == 1 && second.byteCount > first.byteCount)
        pull.stop()
        await pull.waitUntilStopped()
        await fixture.there.close()
    }

    @Test("The byte counts include checkpoints and feeds, in both directions", arguments: ReplicationDirection.allCases)
    func bytes(direction: ReplicationDirection) async throws {
        let fixture = try await ReplicationFixture()
        try await fixture.here.push(#"{"_id":"h","_rev":"1-a"}"#)
        try await fixture.there.bridge.push(#"{"_id":"t","_rev":"1-a"}"#)
        let first = try await fixture.run(direction).change
        let second = try await fixture.run(direction).change
        #expect(second.changesCount == 0 && second.byteCount > 0 && second.byteCount < first.byteCount)
        await fixture.there.close()
    }

    @Test("Wrong credentials notify the listener of an error with the code 401")
    func unauthorized() async throws {
        let fixture = try await ReplicationFixture()
        fixture.there.misbehave { entry, _ in .status(401, "who?") }
        let push = try fixture.replication(.push)
        push.authenticator = .basicAuthenticator(name: "waldo", password: "wrong")
        let notifications = Notifications()
        push.addChangeListener { await notifications.record($0) }
        push.start()
        await notifications.wait { $0.contains(where: \.isUnauthorized) }
        #expect(push.lastError?.code.rawValue == 401)
        await fixture.there.close()
    }
}

extension ReplicationChange {
    /// A replication that has stopped because of wrong credentials.
    fileprivate var isUnauthorized: Bool {
        guard status == .stopped, let lastError else { return false }
        return lastError.code == .unauthorized
    }
}
