import SQLiteStorage
import Storage
import Testing

@Suite("Principals and sessions")
struct PrincipalTests {
    private func record(_ grantee: Grantee, email: String? = nil, _ text: String = "{}") -> PrincipalRecord {
        PrincipalRecord(grantee: grantee, email: email, sequence: SequenceNumber(3), record: Array(text.utf8))
    }

    @Test("Users and roles are separate, and are changed, listed by their names' bytes and removed", arguments: StorageEngine.all)
    func principals(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                for name in ["b", "a", "é", "B"] { try transaction.setPrincipal(record(.user(name))) }
                try transaction.setPrincipal(record(.role("a")))
                try transaction.setPrincipal(record(.user("a"), email: "a@x", #"{"disabled":true}"#))
            }
            try await store.read { (snapshot) throws -> Void in
                #expect(try snapshot.principals(.user, after: "", limit: 10).map(\.grantee.name) == ["B", "a", "b", "é"])
                #expect(try snapshot.principals(.user, after: "a", limit: 1).map(\.grantee.name) == ["b"])
                #expect(try snapshot.principals(.role, after: "", limit: 10) == [record(.role("a"))])
                #expect(try snapshot.principal(.user("a")) == record(.user("a"), email: "a@x", #"{"disabled":true}"#))
                #expect(try snapshot.user(email: "a@x")?.grantee == .user("a"))
                #expect(try snapshot.user(email: "b@x") == nil)
            }
            try await store.write { try $0.removePrincipal(.user("a")) }
            #expect(try await store.read { try $0.principal(.user("a")) } == nil)
            #expect(try await store.read { try $0.principal(.role("a")) } != nil)
        }
    }

    @Test("Sessions are found by their key, prolonged, and removed by user and by age", arguments: StorageEngine.all)
    func sessions(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            @Sendable func session(_ key: UInt8, _ user: String, expires: Int64) -> SessionRecord {
                SessionRecord(key: [key], user: user, generation: 9, created: 1, expires: expires, timeToLive: 100)
            }
            try await store.write { transaction in
                for (key, user) in [(1, "a"), (2, "a"), (3, "b"), (4, "b"), (5, "c")] as [(UInt8, String)] {
                    try transaction.setSession(session(key, user, expires: Int64(key) * 10))
                }
                try transaction.setSession(session(4, "b", expires: 1000))
                #expect(try transaction.session([4]) == session(4, "b", expires: 1000))
                try transaction.removeSessions(of: "a")
                #expect(try transaction.session([2]) == nil)
                try transaction.removeSessions(expiredBefore: 50, limit: 10)
                #expect(try transaction.session([3]) == nil)
                #expect(try transaction.session([5]) != nil)
                #expect(try transaction.removeSession([5]))
                #expect(try !transaction.removeSession([5]))
            }
        }
    }
}
