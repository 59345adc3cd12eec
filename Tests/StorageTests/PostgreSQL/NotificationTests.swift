import Documents
import TestSupport
import Testing

@testable import PostgreSQLStorage
@testable import Storage

@Suite("Notifications of other processes' commits")
struct NotificationTests {
    /// A store that never polls, and another one.
    private func pair(_ schema: TemporarySchema) async throws -> (PostgreSQLStore, PostgreSQLStore) {
        let ours = try schema.open { $0.pollInterval = .seconds(3_600) }
        await eventually { ours.listener.isListening }
        return (ours, try schema.open())
    }

    @Test("A commit wakes the followers of another process whom it concerns, with its details")
    func details() async throws {
        let schema = try TemporarySchema()
        let (ours, other) = try await pair(schema)
        let subscription = ours.commits(for: .unified)
        subscription.narrow(asOf: subscription.mark, by: [.user("anna")]) { $0.channel == "mine\u{0}\"" }
        let follower = Task {
            var commits = subscription.makeAsyncIterator()
            return await commits.next()
        }
        await ours.waitForWaiters(1)
        func add(_ id: String, _ channel: String) async throws {
            try await other.write { transaction in
                let key = try transaction.add(id)
                let document = try #require(try transaction.document(key))
                try transaction.setChannels([channel], of: document, at: document.collectionSequence)
            }
        }
        try await add("a", "yours")
        await eventually { ours.commitCount == 1 }
        #expect(ours.waiterCount == 1)
        try await add("b", "mine\u{0}\"")
        #expect(await follower.value?.touchesUnified == true)
        var access = ours.commits().makeAsyncIterator()
        try await other.write { try $0.setPrincipal(PrincipalRecord(grantee: .user("anna"), sequence: SequenceNumber(1), record: [])) }
        #expect(await access.next()?.access == .of([.user("anna")]))
        try await ours.close()
        try await other.close()
    }

    @Test("Commits that concern no follower are not announced, and each other one is reported once")
    func once() async throws {
        let schema = try TemporarySchema()
        let (ours, other) = try await pair(schema)
        for index in 1...10 {
            try await other.write { try $0.set("\(index)", forSetting: "a") }
            try await (index.isMultiple(of: 2) ? ours : other).write { _ = try $0.add("d\(index)") }
            await eventually { ours.commitCount == UInt64(index) }
        }
        try await ours.close()
        try await other.close()
    }

    @Test("A commit with more details than a notification holds may concern everyone")
    func long() async throws {
        let schema = try TemporarySchema()
        let (ours, other) = try await pair(schema)
        var commits = ours.commits().makeAsyncIterator()
        try await other.write { transaction in
            for index in 0..<200 {
                let name = String(repeating: "x", count: 100) + String(index)
                try transaction.setPrincipal(PrincipalRecord(grantee: .user(name), sequence: SequenceNumber(1), record: []))
            }
        }
        let commit = await commits.next()
        #expect(commit?.access == .everyone && commit?.touchesUnified == true && commit?.collections == [.default])
        try await ours.close()
        try await other.close()
    }

    @Test("Without notifications, polls find the commits")
    func polls() async throws {
        let schema = try TemporarySchema()
        let ours = try schema.open {
            $0.listens = false
            $0.pollInterval = .milliseconds(1)
        }
        let other = try schema.open()
        var commits = ours.commits().makeAsyncIterator()
        try await other.write { _ = try $0.add("a") }
        #expect(await commits.next()?.touchesUnified == true)
        #expect(!ours.listener.isListening)
        try await ours.close()
        try await other.close()
    }

    @Test("A gap in the numbers is closed by a late notification, or by the next poll")
    func gaps() throws {
        let hub = CommitHub()
        let ledger = CommitLedger(after: 5, hub: hub)
        func commit(_ number: Int64) -> Commit { Commit(sequence: SequenceNumber(number), touchesUnified: true, collections: []) }
        func publish(_ number: Int64) -> UInt64 {
            ledger.publish(commit(number), number: number)
            return hub.number
        }
        #expect(publish(7) == 1)
        #expect(publish(7) == 1)
        #expect(publish(6) == 2)
        #expect(publish(5) == 2)
        #expect(publish(9) == 3)
        ledger.reach(9, SequenceNumber(9)) { [.default] }
        #expect(hub.number == 4)
        #expect(publish(8) == 4)
        #expect(publish(10) == 5)
        ledger.reach(10, SequenceNumber(10)) { [.default] }
        #expect(hub.number == 5)
    }
}
