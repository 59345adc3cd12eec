import Access
import SQLiteStorage
import Storage
import Testing

@testable import Authentication

@Suite("Sessions")
struct SessionTests {
    private struct Scene {
        let store: SQLiteStore
        let accounts: Accounts
        let sessions: Sessions
        let clock = TestClock()

        init(_ store: SQLiteStore) async throws {
            self.store = store
            accounts = Accounts(store)
            sessions = Sessions(store: store, clock: clock.clock)
            try await accounts.put(.user("alice"), AccountChange())
        }
    }

    private func scene(_ body: (Scene) async throws -> Void) async throws {
        try await withStore { try await body(try await Scene($0)) }
    }

    @Test("IDs are 160 random bits in hex, and are not stored")
    func ids() async throws {
        try await scene { scene in
            let first = try await scene.sessions.create(for: "alice", timeToLive: 100).id
            let second = try await scene.sessions.create(for: "alice", timeToLive: 100).id
            #expect(first != second)
            #expect(first.text.utf8.count == 40)
            #expect(first.text.allSatisfy { $0.isHexDigit })
            let key = try await scene.store.read { try $0.session(first.key)?.key }
            #expect(key?.count == 32)
            #expect(try await scene.store.read { try $0.session(Array(first.text.utf8)) } == nil)
        }
    }

    @Test("A connection's login ends with the password and the session, and not with the session's time")
    func proofs() async throws {
        try await scene { scene in
            let session = try await scene.sessions.create(for: "alice", timeToLive: 100)
            let proof = LoginProof(session.user, session: session.id.key)
            let byPassword = LoginProof(session.user)
            func term(_ proof: LoginProof, since term: LoginProof.Term = .max) async throws -> LoginProof.Term? {
                let now = scene.clock.clock.now()
                return try await scene.store.read { try proof.term(in: $0, since: term, now: now) }
            }
            let first = try #require(try await term(proof))
            #expect(first == session.expires)
            #expect(try await term(byPassword) == .max)
            scene.clock.advance(seconds: 200)
            // An expired session is removed when the next one begins.
            let other = try await scene.sessions.create(for: "alice", timeToLive: 100)
            #expect(try await scene.sessions.find(session.id) == nil)
            #expect(try await term(proof, since: first) == first)
            #expect(try await scene.sessions.end(other.id))
            #expect(try await term(LoginProof(other.user, session: other.id.key), since: other.expires) == nil)
            #expect(try await term(byPassword) == .max)
            try await scene.accounts.endSessions(of: "alice")
            #expect(try await term(proof, since: first) == nil)
            #expect(try await term(byPassword) == nil)
            let renewed = LoginProof(try #require(try await scene.accounts.user("alice")))
            #expect(try await term(renewed) == .max)
            try await scene.accounts.remove(.user("alice"))
            // An open connection detects it by itself.
            #expect(try await term(renewed) == .max)
        }
    }

    @Test("A session ends at its time, to the millisecond")
    func expiry() async throws {
        try await scene { scene in
            let id = try await scene.sessions.create(for: "alice", timeToLive: 100).id
            scene.clock.advance(seconds: 99)
            #expect(try await scene.sessions.find(id) != nil)
            scene.clock.advance(seconds: 1)
            #expect(try await scene.sessions.find(id) == nil)
            #expect(try await scene.sessions.use(id) == nil)
        }
    }

    @Test("Use after a tenth of its time prolongs a session, and reading it does not")
    func sliding() async throws {
        try await scene { scene in
            let session = try await scene.sessions.create(for: "alice", timeToLive: 100)
            scene.clock.advance(seconds: 10)
            #expect(try await scene.sessions.use(session.id)?.isRenewed == false)
            scene.clock.advance(seconds: 1)
            #expect(try await scene.sessions.find(session.id)?.expires == session.expires)
            let renewed = try #require(try await scene.sessions.use(session.id))
            #expect(renewed.isRenewed)
            #expect(renewed.expires == session.expires + 11_000)
            #expect(try await scene.sessions.use(session.id)?.isRenewed == false)
            for _ in 0..<10 {
                scene.clock.advance(seconds: 90)
                #expect(try await scene.sessions.use(session.id) != nil)
            }
        }
    }

    @Test("A session with a fixed end is not prolonged")
    func fixedEnd() async throws {
        try await scene { scene in
            let session = try await scene.sessions.create(for: "alice", timeToLive: 100, renews: false)
            scene.clock.advance(seconds: 90)
            #expect(try await scene.sessions.use(session.id)?.isRenewed == false)
            scene.clock.advance(seconds: 11)
            #expect(try await scene.sessions.use(session.id) == nil)
        }
    }

    @Test("A new password, and a disabled or removed account, end sessions for good", arguments: [0, 1, 2, 3])
    func ended(way: Int) async throws {
        try await scene { scene in
            let id = try await scene.sessions.create(for: "alice", timeToLive: 100).id
            var change = AccountChange()
            switch way {
            case 0:
                change.passwordHash = try PasswordHash(of: "x", cost: ScryptCost(logarithm: 4, blockSize: 8, parallelism: 1))
                try await scene.accounts.put(.user("alice"), change)
            case 1:
                change.isDisabled = true
                try await scene.accounts.put(.user("alice"), change)
                #expect(try await scene.sessions.find(id) == nil)
                change.isDisabled = false
                try await scene.accounts.put(.user("alice"), change)
            case 2:
                try await scene.accounts.remove(.user("alice"))
                try await scene.accounts.put(.user("alice"), AccountChange())
            default:
                try await scene.accounts.endSessions(of: "alice")
            }
            #expect(try await scene.sessions.find(id) == nil)
            #expect(try await scene.sessions.use(id) == nil)
            let next = try await scene.sessions.create(for: "alice", timeToLive: 100).id
            #expect(try await scene.sessions.use(next) != nil)
        }
    }

    @Test("Other changes of an account keep its sessions")
    func unharmed() async throws {
        try await scene { scene in
            let id = try await scene.sessions.create(for: "alice", timeToLive: 100).id
            var change = AccountChange()
            change.channels = ["a"]
            change.email = "a@b"
            change.isDisabled = false
            try await scene.accounts.put(.user("alice"), change)
            #expect(try await scene.sessions.find(id) != nil)
        }
    }

    @Test("Setting the same password again keeps sessions, and setting another one ends them")
    func samePassword() async throws {
        try await scene { scene in
            let cost = ScryptCost(logarithm: 4, blockSize: 8, parallelism: 1)
            let passwords = PasswordChecker(store: scene.store, cost: cost)
            func put(_ password: String) async throws {
                var change = AccountChange()
                change.passwordHash = try await passwords.hash(password, replacing: try await scene.accounts.user("alice")?.passwordHash)
                try await scene.accounts.put(.user("alice"), change)
            }
            try await put("secret")
            let id = try await scene.sessions.create(for: "alice", timeToLive: 100).id
            try await put("secret")
            #expect(try await scene.sessions.find(id) != nil)
            try await put("other")
            #expect(try await scene.sessions.find(id) == nil)
        }
    }

    @Test("Ending a session ends only that one, and only for its owner")
    func single() async throws {
        try await scene { scene in
            let first = try await scene.sessions.create(for: "alice", timeToLive: 100).id
            let second = try await scene.sessions.create(for: "alice", timeToLive: 100).id
            #expect(try await !scene.sessions.end(first, of: "bob"))
            #expect(try await scene.sessions.end(first, of: "alice"))
            #expect(try await !scene.sessions.end(first))
            #expect(try await scene.sessions.find(second) != nil)
        }
    }

    @Test("A session is refused for an unknown user, for the guest, and with an impossible duration")
    func refused() async throws {
        try await scene { scene in
            try await scene.accounts.configureGuest(isEnabled: true, channels: [])
            for name in ["nobody", "GUEST"] {
                let error = await #expect(throws: AccessError.self) { try await scene.sessions.create(for: name, timeToLive: 1) }
                #expect(error?.code == .notFound)
            }
            for time in [0, -1, Int64.max] {
                let error = await #expect(throws: AccessError.self) { try await scene.sessions.create(for: "alice", timeToLive: time) }
                #expect(error?.code == .badRequest)
            }
            var change = AccountChange()
            change.isDisabled = true
            try await scene.accounts.put(.user("alice"), change)
            await #expect(throws: AccessError.self) { try await scene.sessions.create(for: "alice", timeToLive: 1) }
        }
    }
}
