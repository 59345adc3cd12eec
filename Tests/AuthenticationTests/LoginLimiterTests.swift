import Testing

@testable import Authentication

@Suite("Limits of failed logins")
struct LoginLimiterTests {
    private func limiter(pair: Double = 3, user: Double = 100, address: Double = 100, capacity: Int = 1000) -> LoginLimiter {
        var limits = LoginLimits()
        limits.pair = .init(capacity: pair, tokensPerSecond: 0.5)
        limits.user = .init(capacity: user, tokensPerSecond: 0.5)
        limits.address = .init(capacity: address, tokensPerSecond: 0.5)
        return LoginLimiter(limits: limits, capacity: capacity)
    }

    @Test("After too many wrong passwords the next one is refused until a token is refilled")
    func pair() {
        var limiter = limiter()
        for _ in 0..<3 { #expect(limiter.begin(user: "a", address: "1", now: 0) == nil) }
        #expect(limiter.begin(user: "a", address: "1", now: 0) == 2)
        #expect(limiter.begin(user: "a", address: "1", now: 1000) == 1)
        #expect(limiter.begin(user: "a", address: "1", now: 2000) == nil)
        #expect(limiter.begin(user: "a", address: "1", now: 2000) == 2)
        #expect(limiter.begin(user: "a", address: "2", now: 2000) == nil)
        #expect(limiter.begin(user: "b", address: "1", now: 2000) == nil)
    }

    @Test("Many addresses share a user's tokens, and many users an address's")
    func wide() {
        var limiter = limiter(pair: 100, user: 4, address: 6)
        for address in 0..<4 { #expect(limiter.begin(user: "a", address: "\(address)", now: 0) == nil) }
        #expect(limiter.begin(user: "a", address: "9", now: 0) != nil)
        for user in 0..<6 { #expect(limiter.begin(user: "u\(user)", address: "x", now: 0) == nil) }
        #expect(limiter.begin(user: "u9", address: "x", now: 0) != nil)
    }

    @Test("A right password uses no token")
    func returnTokens() {
        var limiter = limiter()
        for _ in 0..<50 {
            #expect(limiter.begin(user: "a", address: "1", now: 0) == nil)
            limiter.returnTokens(user: "a", address: "1", now: 0)
        }
        #expect(limiter.count == 0)
    }

    @Test("The table has a limit, and a clock that is set back refills nothing")
    func bounded() {
        var limiter = limiter(address: 1_000_000, capacity: 100)
        for index in 0..<1000 { _ = limiter.begin(user: "u\(index)", address: "1", now: Int64(index)) }
        #expect(limiter.count <= 103)
        for _ in 0..<3 { _ = limiter.begin(user: "late", address: "2", now: 10_000) }
        #expect(limiter.begin(user: "late", address: "2", now: 0) != nil)
    }
}
