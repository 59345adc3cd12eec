import Access
import SQLiteStorage
import Storage
import Testing

@testable import Authentication

@Suite("Password logins")
struct LoginTests {
    private static let cheap = ScryptCost(logarithm: 4, blockSize: 8, parallelism: 1)

    private struct Scene: Sendable {
        let store: SQLiteStore
        let accounts: Accounts
        let passwords: PasswordChecker
        let clock = TestClock()

        init(_ store: SQLiteStore) {
            self.store = store
            accounts = Accounts(store)
            passwords = PasswordChecker(store: store, clock: clock.clock, cost: LoginTests.cheap)
        }

        func put(_ name: String, password: String) async throws {
            var change = AccountChange()
            change.passwordHash = try await passwords.hash(password)
            try await accounts.put(.user(name), change)
        }

        func login(_ name: String, _ password: String) async -> AccessError.Code? {
            do {
                _ = try await passwords.login(name: name, password: password, address: "1")
                return nil
            } catch {
                return (error as? AccessError)?.code
            }
        }
    }

    private func scene(_ body: (Scene) async throws -> Void) async throws {
        try await withStore { try await body(Scene($0)) }
    }

    @Test("The right password is accepted repeatedly; a wrong password and an unknown user are refused")
    func basics() async throws {
        try await scene { scene in
            try await scene.put("alice", password: "secret")
            for _ in 0..<3 { #expect(await scene.login("alice", "secret") == nil) }
            #expect(await scene.login("alice", "Secret") == .invalidLogin)
            #expect(await scene.login("alice", "") == .invalidLogin)
            #expect(await scene.login("alice", String(repeating: "x", count: 5000)) == .invalidLogin)
            #expect(await scene.login("bob", "secret") == .invalidLogin)
            #expect(await scene.login("", "") == .invalidLogin)
        }
    }

    @Test("Cached logins end with a new password, a disabled account and a removed one")
    func remembered() async throws {
        try await scene { scene in
            try await scene.put("alice", password: "one")
            #expect(await scene.login("alice", "one") == nil)
            try await scene.put("alice", password: "two")
            #expect(await scene.login("alice", "one") == .invalidLogin)
            #expect(await scene.login("alice", "two") == nil)
            var change = AccountChange()
            change.isDisabled = true
            try await scene.accounts.put(.user("alice"), change)
            #expect(await scene.login("alice", "two") == .invalidLogin)
            try await scene.accounts.remove(.user("alice"))
            #expect(await scene.login("alice", "two") == .invalidLogin)
        }
    }

    @Test("A clock that is set back excludes no user")
    func clockBack() async throws {
        try await withStore { store in
            let wall = TestClock()
            let uptime = TestClock()
            var limits = LoginLimits()
            limits.pair = .init(capacity: 2, tokensPerSecond: 1)
            let passwords = PasswordChecker(
                store: store, clock: AccessClock(now: wall.clock.now, uptime: uptime.clock.now), cost: Self.cheap, limits: limits)
            var change = AccountChange()
            change.passwordHash = try await passwords.hash("right")
            try await Accounts(store).put(.user("alice"), change)
            func login(_ password: String) async -> AccessError.Code? {
                do {
                    _ = try await passwords.login(name: "alice", password: password, address: "1")
                    return nil
                } catch {
                    return (error as? AccessError)?.code
                }
            }
            for _ in 0..<2 { #expect(await login("wrong") == .invalidLogin) }
            #expect(await login("right") == .tooManyAttempts)
            wall.advance(seconds: -864_000)
            uptime.advance(seconds: 2)
            #expect(await login("right") == nil)
        }
    }

    @Test("The guest and accounts without a password cannot log in")
    func withoutPassword() async throws {
        try await scene { scene in
            try await scene.accounts.configureGuest(isEnabled: true, channels: ["*"])
            try await scene.accounts.put(.user("token"), AccountChange())
            for name in ["GUEST", "token"] {
                #expect(await scene.login(name, "") == .invalidLogin)
                #expect(await scene.login(name, "x") == .invalidLogin)
            }
        }
    }

    @Test("A bcrypt hash is replaced at the first login, and sessions stay valid")
    func upgrade() async throws {
        try await scene { scene in
            var change = AccountChange()
            change.passwordHash = PasswordHash("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")
            try await scene.accounts.put(.user("old"), change)
            let before = try #require(try await scene.accounts.user("old"))
            #expect(await scene.login("old", "wrong") == .invalidLogin)
            #expect(try await scene.accounts.user("old")?.passwordHash == before.passwordHash)
            #expect(await scene.login("old", "U*U") == nil)
            let after = try #require(try await scene.accounts.user("old"))
            #expect(after.passwordHash?.isOutdated(Self.cheap) == false)
            #expect(after.sessionGeneration == before.sessionGeneration)
            #expect(await scene.login("old", "U*U") == nil)
        }
    }

    @Test("Of many concurrent equal logins one is verified, and the others use its result")
    func together() async throws {
        let verifier = PasswordVerifier(cost: Self.cheap, width: 4)
        let hash = try PasswordHash(of: "secret", cost: Self.cheap)
        let checked = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<25 {
                group.addTask { try await verifier.verify(name: "anna", password: "secret", against: hash, address: "here") }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(checked == 1)
    }

    @Test("Guesses are limited, also with the right password; cached logins succeed, and the limit ends with time")
    func limited() async throws {
        try await scene { scene in
            try await scene.put("alice", password: "secret")
            for _ in 0..<30 { #expect(await scene.login("alice", "guess") == .invalidLogin) }
            #expect(await scene.login("alice", "guess") == .tooManyAttempts)
            #expect(await scene.login("alice", "secret") == .tooManyAttempts)
            scene.clock.advance(seconds: 60)
            #expect(await scene.login("alice", "secret") == nil)
            for _ in 0..<40 { _ = await scene.login("alice", "guess") }
            #expect(await scene.login("alice", "secret") == nil)
        }
    }

    @Test("Many concurrent logins succeed, and too many are refused with a retry")
    func crowd() async throws {
        try await scene { scene in
            try await scene.put("alice", password: "secret")
            await withTaskGroup { group in
                for _ in 0..<25 { group.addTask { await scene.login("alice", "secret") } }
                for await code in group { #expect(code == nil) }
            }
        }
        let queue = PasswordQueue(width: 1, limit: 0)
        await #expect(throws: AccessError.self) { try await queue.run { true } }
    }
}
