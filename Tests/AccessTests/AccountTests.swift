import SQLiteStorage
import Storage
import Testing

@testable import Access

@Suite("Users and roles")
struct AccountTests {
    @Test("A change replaces the given properties and keeps the others")
    func changes() async throws {
        try await withStore { store in
            let accounts = Accounts(store)
            var change = AccountChange()
            change.channels = ["a", "b"]
            change.roles = ["r"]
            change.email = "a@b"
            #expect(try await accounts.put(.user("alice"), change))
            change = AccountChange()
            change.channels = ["b"]
            #expect(try await !accounts.put(.user("alice"), change))
            var account = try #require(try await accounts.account(.user("alice")))
            #expect(account.given == AdministratorGrants(channels: ["b"], roles: ["r"]))
            #expect(account.roles == ["r"])
            #expect(account.user?.email == "a@b")
            change = AccountChange()
            change.email = ""
            try await accounts.put(.user("alice"), change)
            account = try #require(try await accounts.account(.user("alice")))
            #expect(account.user?.email == nil)
            #expect(account.given.channels == ["b"])
        }
    }

    @Test("A repeated change writes nothing, not even a sequence")
    func idempotent() async throws {
        try await withStore { store in
            let accounts = Accounts(store)
            var change = AccountChange()
            change.channels = ["a"]
            try await accounts.put(.user("alice"), change)
            let before = try await store.read { (try $0.lastSequence, try $0.accessVersion) }
            try await accounts.put(.user("alice"), change)
            let after = try await store.read { (try $0.lastSequence, try $0.accessVersion) }
            #expect(before == after)
        }
    }

    @Test(
        "Impossible names are refused",
        arguments: ["", "a/b", "a:b", "a,b", "a`b", "...", "a\u{0}", "e\u{301}", String(repeating: "x", count: 240)])
    func badNames(name: String) async throws {
        try await withStore { store in
            for grantee in [Grantee.user(name), .role(name)] {
                let error = await #expect(throws: AccessError.self) { try await Accounts(store).put(grantee, AccountChange()) }
                #expect(error?.code == .badRequest)
            }
        }
    }

    @Test(
        "Names with unusual characters are accepted",
        arguments: ["a b", "a@b.c", "é", "日本", "a+b%c", "_x", String(repeating: "x", count: 239)])
    func oddNames(name: String) async throws {
        try await withStore { store in
            let isNew = try await Accounts(store).put(.user(name), AccountChange())
            #expect(isNew)
            #expect(try await Accounts(store).names(.user) == [name])
        }
    }

    @Test("Channels, email addresses and role names are validated")
    func badValues() async throws {
        try await withStore { store in
            let changes: [(inout AccountChange) -> Void] = [
                { $0.channels = ["a,b"] }, { $0.channels = [""] }, { $0.email = "nobody" }, { $0.email = "@x" }, { $0.roles = ["a/b"] },
                { $0.collections = [CollectionKey(2): ["a,b"]] },
            ]
            for body in changes {
                var change = AccountChange()
                body(&change)
                let error = await #expect(throws: AccessError.self) { try await Accounts(store).put(.user("a"), change) }
                #expect(error?.code == .badRequest)
            }
            let user = try await Accounts(store).user("a")
            #expect(user?.name == nil)
        }
    }

    @Test("The guest cannot be removed and is not listed, and removing an unknown account is an error")
    func removal() async throws {
        try await withStore { store in
            let accounts = Accounts(store)
            try await accounts.configureGuest(isEnabled: false, channels: [])
            #expect(try await accounts.names(.user).isEmpty)
            let guest = await #expect(throws: AccessError.self) { try await accounts.remove(.user("GUEST")) }
            #expect(guest?.code == .notAllowed)
            let missing = await #expect(throws: AccessError.self) { try await accounts.remove(.role("r")) }
            #expect(missing?.code == .notFound)
        }
    }

    @Test("Long lists are read in steps and in order")
    func listing() async throws {
        try await withStore { store in
            try await store.write { transaction in
                for number in 0..<2500 { _ = try AccountEditor(transaction).put(.user("u\(10_000 + number)"), AccountChange()) }
                try AccountEditor(transaction).configureGuest(isEnabled: true, channels: [])
            }
            let names = try await Accounts(store).names(.user)
            #expect(names == (0..<2500).map { "u\(10_000 + $0)" })
            #expect(try await Accounts(store).users(limit: 7).map(\.name) == Array(names.prefix(7)))
        }
    }
}
