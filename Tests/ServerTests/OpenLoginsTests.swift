import Access
import Authentication
import Coordination
import Foundation
import HTTP
import Logging
import SQLiteStorage
import Storage
import Testing

@testable import Server

@Suite("Logins of open connections", .timeLimit(.minutes(1)))
struct OpenLoginsTests {
    @Test("A session that another process ends is detected, other sessions are not affected, and closed connections are forgotten")
    func otherProcess() async throws {
        let path = NSTemporaryDirectory() + "dualgauge-logins-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (store, other) = (try SQLiteStore(path: path), try SQLiteStore(path: path))
        try await Accounts(store).put(.user("alice"), AccountChange())
        let sessions = Sessions(store: store)
        let (first, second) = (
            try await sessions.create(for: "alice", timeToLive: 1000), try await sessions.create(for: "alice", timeToLive: 1000)
        )
        let open = OpenLogins(store: store, interval: .milliseconds(5), logger: Logger(label: "test"))
        var kept: StopSignal? = open.signal(for: LoginProof(second.user, session: second.id.key))
        let ended = open.signal(for: LoginProof(first.user, session: first.id.key))
        #expect(open.signal(for: LoginProof(first.user, session: first.id.key)) === ended)
        #expect(try await Sessions(store: other).end(first.id))
        await begin(of: ended)
        #expect(kept?.isRaised == false)
        kept = nil
        // A new connection is watched again.
        let again = open.signal(for: LoginProof(second.user, session: second.id.key))
        try await Accounts(other).endSessions(of: "alice")
        await begin(of: again)
        await open.close()
        try await other.close()
        try await store.close()
    }

    private func begin(of signal: StopSignal) async {
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        await signal.during {
            for await _ in begun { break }
        } onRaise: {
            continuation.finish()
        }
    }
}
