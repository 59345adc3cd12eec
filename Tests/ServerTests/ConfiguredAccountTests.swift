import Access
import Gateway
import Storage
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Users and roles in the configuration")
struct ConfiguredAccountTests {
    @Test("Every property of an account is read")
    func reading() throws {
        let configuration = try shop(
            """
            collections: { sales.orders: {} }
            roles: { staff: { channels: [s] } }
            users:
              alice:
                password: "${SECRET}"
                channels: [a]
                collections: { sales.orders: [o, p] }
                roles: [staff]
                email: a@example.com
                enabled: no
              bob: { passwordHash: "$2b$10$\(String(repeating: "x", count: 53))" }
              carol: {}
            """, environment: ["SECRET": "hunter2"])
        let accounts = try #require(configuration.databases.first?.accounts)
        #expect(accounts.map(\.grantee) == [.role("staff"), .user("alice"), .user("bob"), .user("carol")])
        #expect(accounts[1].password == .text(Secret("hunter2")))
        #expect(accounts[1].collections == [CollectionName(scope: "sales", name: "orders"): ["o", "p"]])
        #expect(accounts[1].isDisabled && accounts[1].roles == ["staff"] && accounts[1].email == "a@example.com")
        #expect(accounts[3].password == nil)
        #expect(!"\(accounts)".contains("hunter2"))
    }

    @Test(
        "An invalid account is refused at its place",
        arguments: [
            ("users: { GUEST: {} }", "GUEST", "`guest`"), ("users: { \"a/b\": {} }", "a/b", "name"),
            ("users: { a: { password: x, passwordHash: y } }", "a", "contradict"),
            ("users: { a: { passwordHash: y } }", "passwordHash", "hash"),
            ("users: { a: { chanels: [x] } }", "chanels", "`channels`"), ("roles: { r: { password: x } }", "password", "unknown"),
            ("users: { a: { channels: [\"x,y\"] } }", "a", "channel"), ("users: { a: { email: nobody } }", "a", "email"),
            ("users: { a: { collections: { b.c: [x] } } }", "b.c", "collection"), ("users: { a: { password: \"\" } }", "password", "empty"),
        ])
    func refused(line: String, place: String, word: String) throws {
        let error = try #require(try complaint { try shop(line) })
        #expect(error.path.hasSuffix(place) && error.message.contains(word), "\(error)")
    }

    @Test("`$${` means `${`")
    func escapedVariable() throws {
        let configuration = try shop("guest: { channels: [\"$${A}-${A}-$$${A}\"] }", environment: ["A": "x$"])
        #expect(configuration.databases.first?.configuration.guest.channels == ["${A}-x$-$${A}"])
    }
}
