import SQLiteStorage
import Storage
import Testing

@testable import Access

@Suite("Admission of users that a verifier has authenticated")
struct AdmissionTests {
    private func match(
        _ name: String, by authenticator: AuthenticatorKind = .oidc, isNew: Bool = true, channels: Set<String>? = nil,
        roles: Set<String>? = nil
    ) throws -> AccountMatch {
        var identity = VerifiedIdentity(authenticator: authenticator, userName: try #require(LoginName(name)), subject: name)
        identity.channels = channels
        identity.roles = roles
        identity.email = "\(name)@example.com"
        identity.isEmailVerified = authenticator == .oidc
        return AccountMatch(identity: identity, userName: name, isNew: isNew)
    }

    private func given(_ name: String, _ store: SQLiteStore) async throws -> AdministratorGrants {
        try await store.read { try AdministratorGrants.read(from: .login(.user(name)), in: $0) }
    }

    @Test("A new user is created once with the verified address, and a concurrent login finds it")
    func registers() async throws {
        try await withStore { store in
            let accounts = Accounts(store)
            for _ in 0..<2 { #expect(try await accounts.admit(try match("anna")).name == "anna") }
            #expect(try await accounts.user("anna")?.email == "anna@example.com")
            _ = try await accounts.admit(try match("bob", by: .facebook))
            #expect(try await accounts.user("bob")?.email == nil)
            #expect(try await accounts.names(.user) == ["anna", "bob"])
            let gone = await #expect(throws: LoginError.self) { try await accounts.admit(try match("carl", isNew: false)) }
            #expect(gone?.code == .refused)
        }
    }

    @Test("A verifier's channels and roles apply until it sends others, and those that it does not send stay")
    func grants() async throws {
        try await withStore { store in
            let accounts = Accounts(store)
            _ = try await accounts.admit(try match("anna", channels: ["a", "b"], roles: ["r"]))
            #expect(try await given("anna", store) == AdministratorGrants(channels: ["a", "b"], roles: ["r"]))
            let version = try await store.read { try $0.lastSequence }
            _ = try await accounts.admit(try match("anna", isNew: false))
            _ = try await accounts.admit(try match("anna", isNew: false, channels: ["a", "b"]))
            #expect(try await store.read { try $0.lastSequence } == version)
            _ = try await accounts.admit(try match("anna", isNew: false, channels: ["b"]))
            #expect(try await given("anna", store) == AdministratorGrants(channels: ["b"], roles: ["r"]))
            _ = try await accounts.admit(try match("anna", isNew: false, roles: []))
            #expect(try await given("anna", store) == AdministratorGrants(channels: ["b"]))
        }
    }

    @Test("A user who reads everything on a server without channels does so here, unless an administrator grants channels")
    func readsAll() async throws {
        try await withStore { store in
            let accounts = Accounts(store)
            for name in ["channels", "roles", "none"] {
                var change = AccountChange()
                change.isOfUpstream = true
                if name == "channels" { change.channels = ["a"] }
                if name == "roles" { change.roles = ["r"] }
                try await accounts.put(.user(name), change)
            }
            for (name, expected) in [("channels", []), ("roles", []), ("none", ["*"]), ("new", ["*"])] as [(String, Set<String>)] {
                let known = try match(name, by: .upstream, isNew: name == "new", channels: [])
                var identity = known.identity
                identity.readsAll = true
                for isNew in [name == "new", false] {
                    _ = try await accounts.admit(AccountMatch(identity: identity, userName: name, isNew: isNew))
                    #expect(try await given(name, store).channels == expected, "\(name)")
                }
            }
        }
    }

    @Test("An administrator's later grants replace all others for good, except for a Sync Gateway's `*`")
    func limitedLater() async throws {
        try await withStore { store in
            let accounts = Accounts(store)
            let found = try match("waldo", by: .upstream, channels: [])
            var identity = found.identity
            identity.readsAll = true
            _ = try await accounts.admit(AccountMatch(identity: identity, userName: "waldo", isNew: true))
            var email = AccountChange()
            email.email = "waldo@example.com"
            try await accounts.put(.user("waldo"), email)
            #expect(try await given("waldo", store).channels == ["*"])
            var channels = AccountChange()
            channels.channels = ["a"]
            try await accounts.put(.user("waldo"), channels)
            #expect(try await given("waldo", store).channels == [])
            channels.channels = []
            try await accounts.put(.user("waldo"), channels)
            _ = try await accounts.admit(AccountMatch(identity: identity, userName: "waldo", isNew: false))
            #expect(try await given("waldo", store).channels == [])
            _ = try await accounts.admit(try match("star", by: .upstream, channels: ["*"]))
            channels.channels = ["a"]
            try await accounts.put(.user("star"), channels)
            #expect(try await given("star", store).channels == ["*"])
        }
    }

    @Test("Roles of the old server are granted as roles; if one does not exist here, the role's channels are granted as well")
    func roles() async throws {
        try await withStore { store in
            let accounts = Accounts(store)
            try await accounts.put(.role("staff"), AccountChange())
            for (name, roles, expected) in [
                ("known", ["staff"], ["own"]), ("strange", ["staff", "gone"], ["own", "s", "g"]), ("none", [], ["own"]),
            ] as [(String, Set<String>, Set<String>)] {
                let found = try match(name, by: .upstream, channels: ["own"], roles: roles)
                var identity = found.identity
                identity.roleChannels = ["s", "g"]
                _ = try await accounts.admit(AccountMatch(identity: identity, userName: name, isNew: true))
                #expect(try await given(name, store) == AdministratorGrants(channels: expected, roles: roles), "\(name)")
            }
        }
    }

    @Test("The guest, disabled users and invalid names or grants are refused, and leave nothing behind")
    func refused() async throws {
        try await withStore { store in
            let accounts = Accounts(store)
            try await accounts.configureGuest(isEnabled: true, channels: [])
            var change = AccountChange()
            change.isDisabled = true
            try await accounts.put(.user("dora"), change)
            for match in [
                try match("GUEST", isNew: false), try match("GUEST"), try match("dora", isNew: false), try match("-_-"),
                try match("eve", channels: ["a,b"]), try match("eve", channels: [""]), try match("eve", roles: ["a/b"]),
            ] {
                let error = await #expect(throws: LoginError.self) { try await accounts.admit(match) }
                #expect(error?.code == .refused, "\(match.userName)")
            }
            #expect(try await accounts.names(.user) == ["dora"])
        }
    }

    @Test("The upstream authenticates the users that it brought, until an administrator here ends that")
    func upstream() async throws {
        try await withStore { store in
            let accounts = Accounts(store)
            try await accounts.put(.user("here"), AccountChange())
            let known = await #expect(throws: LoginError.self) { try await accounts.admit(try match("here", by: .upstream, isNew: false)) }
            #expect(known?.code == .refused)
            let hash = PasswordHash("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")
            for name in ["anna", "bob"] {
                #expect(try await accounts.admit(try match(name, by: .upstream)).passwordHash == nil)
                let user = try await accounts.admit(try match(name, by: .upstream, isNew: false), passwordHash: hash)
                #expect(user.passwordHash == hash && user.isOfUpstream)
                #expect(try await accounts.user(name)?.passwordHash == hash)
            }
            try await accounts.endSessions(of: "anna")
            var change = AccountChange()
            change.passwordHash = hash
            try await accounts.put(.user("bob"), change)
            for name in ["anna", "bob"] {
                let error = await #expect(throws: LoginError.self) {
                    try await accounts.admit(try match(name, by: .upstream, isNew: false))
                }
                #expect(error?.code == .refused, "\(name)")
            }
        }
    }
}
