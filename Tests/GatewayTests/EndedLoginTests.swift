import Access
import Gateway
import Storage
import Testing

@Suite("Ended logins")
struct EndedLoginTests {
    @Test("An ended login sends and reads nothing more, including the losses that come with its end", arguments: [true, false])
    func ended(byPassword: Bool) async throws {
        let fixture = try await Fixture()
        try await fixture.user("anna", channels: ["a"])
        try await fixture.unified.put("1", channels: ["a"])
        let user = try #require(try await Accounts(fixture.store).user("anna"))
        let anna = fixture.unified.seen(by: .user("anna"), login: LoginProof(user))
        let place = try await anna.read().position
        var change = AccountChange()
        change.channels = []
        try await Accounts(fixture.store).put(.user("anna"), change)
        #expect(try await anna.rows(since: place) == ["1 revoked a"])
        if byPassword {
            change.passwordHash = PasswordHash("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")
            try await Accounts(fixture.store).put(.user("anna"), change)
        } else {
            try await Accounts(fixture.store).endSessions(of: "anna")
        }
        await refused { try await anna.rows(since: place) }
        await refused { try await anna.read { try $0.document("1") == nil } }
        await refused { try await anna.requireAccess() }
        // The next login gets all of it.
        let again = try #require(try await Accounts(fixture.store).user("anna"))
        #expect(try await fixture.unified.seen(by: .user("anna"), login: LoginProof(again)).rows(since: place) == ["1 revoked a"])
    }

    private func refused(_ work: () async throws -> some Any) async {
        let error = await #expect(throws: GatewayError.self) { _ = try await work() }
        #expect(error?.code == .unauthorized)
    }
}
