import Access
import TestSupport
import Testing

@testable import Authentication

@Suite("Token logins: selection of the user")
struct AccountMatchTests {
    private struct Directory: AccountDirectory {
        var users: [String: String?] = [
            "100": nil, "old@example.com": "old@example.com", "twin-1": "twin@example.com", "twin-2": "twin@example.com",
        ]

        func hasUser(named name: String) async throws -> Bool { users.keys.contains(name) }

        func userNames(withEmail email: String) async throws -> [String] { users.filter { $0.value == email }.map(\.key) }
    }

    private func identity(_ name: String, _ change: (inout VerifiedIdentity) -> Void = { _ in }) throws -> VerifiedIdentity {
        var identity = VerifiedIdentity(authenticator: .facebook, userName: try #require(LoginName(name)), subject: name)
        change(&identity)
        return identity
    }

    private func find(_ identity: VerifiedIdentity, log: TestLog = TestLog()) async -> String {
        do {
            let match = try await AccountMatch.find(identity, in: Directory(), logger: log.logger)
            return match.userName + (match.isNew ? " new" : "")
        } catch {
            return (error as? LoginError).map { "\($0.code)" } ?? "\(error)"
        }
    }

    @Test("A user is selected by name, or created if that is allowed")
    func byName() async throws {
        #expect(await find(try identity("100")) == "100")
        #expect(await find(try identity("200")) == "refused")
        #expect(await find(try identity("200") { $0.mayRegister = true }) == "200 new")
    }

    @Test("A user is selected by email only if the address is verified, unique and configured; it is logged")
    func byEmail() async throws {
        let log = TestLog()
        let migrated = try identity("200") {
            $0.email = "old@example.com"
            $0.isEmailVerified = true
            $0.mayMatchEmail = true
        }
        #expect(await find(migrated, log: log) == "old@example.com")
        #expect(log.lines.contains { $0.contains("verified e-mail") })
        var other = migrated
        other.isEmailVerified = false
        #expect(await find(other) == "refused")
        other = migrated
        other.mayMatchEmail = false
        #expect(await find(other) == "refused")
        other = migrated
        other.email = ""
        #expect(await find(other) == "refused")
        other = migrated
        other.email = "twin@example.com"
        other.mayRegister = true
        #expect(await find(other) == "refused")
        other.email = "new@example.com"
        #expect(await find(other) == "200 new")
    }
}
