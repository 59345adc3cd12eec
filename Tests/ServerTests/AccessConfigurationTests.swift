import Authentication
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Logins in dualgauge.yaml")
struct AccessConfigurationTests {
    @Test("Sessions and challenges have defaults, and can be set")
    func values() throws {
        let standard = try #require(try shop().databases.first).access
        #expect(standard == AccessConfiguration())
        #expect(standard.cookieName == "SyncGatewaySession")
        #expect(standard.sessionTime == 86_400)
        #expect(standard.sendsChallenge)
        let set = try #require(
            try shop("sessions: { cookieName: Shop, ttl: 2h, secure: true }\nwwwAuthenticate: false").databases.first
        ).access
        #expect(set.cookieName == "Shop")
        #expect(set.sessionTime == 7200)
        #expect(set.isCookieSecure)
        #expect(!set.sendsChallenge)
        let cheap = try #require(try shop("sessions: { ttl: 2h }\npasswords: { cost: 10 }").databases.first).access
        #expect(cheap.passwordCost == .configured(10) && cheap.sessionTime == 7200)
        #expect(standard.passwordCost == .configured(15))
    }

    @Test(
        "An invalid value is reported with its place",
        arguments: [
            ("sessions: { cookieName: \"a b\" }", "databases.shop.sessions.cookieName"),
            ("sessions: { ttl: 0s }", "databases.shop.sessions.ttl"),
            ("sessions: { ttl: 1000000d }", "databases.shop.sessions.ttl"), ("sessions: { tll: 1h }", "databases.shop.sessions.tll"),
            ("passwords: { cost: 9 }", "databases.shop.passwords.cost"), ("passwords: { cost: 17 }", "databases.shop.passwords.cost"),
            ("passwords: { coast: 12 }", "databases.shop.passwords.coast"),
            ("wwwAuthenticate: perhaps", "databases.shop.wwwAuthenticate"),
        ])
    func complaints(lines: String, path: String) throws {
        #expect(try complaint { try shop(lines) }?.path == path)
    }
}
