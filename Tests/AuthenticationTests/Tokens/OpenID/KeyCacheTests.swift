import Documents
import Testing

@testable import Authentication

@Suite("Token logins: requests for keys")
struct KeyCacheTests {
    private func describe(_ answer: KeyCache.Answer) -> String {
        switch answer {
        case .keys(let keys): "keys \(keys.count)"
        case .fetch(let fallback): "fetch \(fallback.count)"
        case .unknown: "unknown"
        case .unavailable: "unavailable"
        }
    }

    @Test("A cache requests keys when it is empty, old or lacks a key")
    func life() async throws {
        let key = try #require(await SigningKey(try JSONValue(Array(try await TestKey(.ec, kid: "a").jwk.utf8))))
        var cache = KeyCache()
        func ask(_ keyID: String?, _ now: Int64, _ algorithm: SignatureAlgorithm = .es256) -> String {
            describe(cache.answer(keyID: keyID, algorithm: algorithm, now: now))
        }
        #expect(ask("a", 0) == "fetch 0")
        cache.failed(now: 0)
        #expect(ask("a", 4) == "unavailable")
        #expect(ask("a", 5) == "fetch 0")
        cache.succeeded(with: [key], now: 5)
        #expect(ask("a", 5) == "keys 1")
        #expect(ask(nil, 5) == "keys 1")
        #expect(ask("a", 5, .rs256) == "unknown")
        #expect(ask("b", 6) == "unknown")
        #expect(ask("b", 35) == "fetch 0")
        cache.failed(now: 35)
        #expect(ask("b", 36) == "unavailable")
        #expect(ask("a", 36) == "keys 1")
        #expect(ask("a", 5 + KeyCache.refreshAge) == "fetch 1")
        cache.failed(now: 5 + KeyCache.refreshAge)
        #expect(ask("a", 6 + KeyCache.refreshAge) == "keys 1")
        #expect(ask("a", 5 + KeyCache.maximumAge) == "fetch 0")
        cache.failed(now: 5 + KeyCache.maximumAge)
        #expect(ask("a", 6 + KeyCache.maximumAge) == "unavailable")
    }

    @Test(
        "Unusable keys are ignored",
        arguments: [
            "{}", #"{"kty":"oct","k":"AAAA"}"#, #"{"kty":"RSA"}"#, #"{"kty":"RSA","n":"!","e":"AQAB"}"#,
            #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#,
            #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#, #"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#,
            #"{"kty":"OKP","crv":"Ed25519","x":"AA"}"#,
        ])
    func unusable(_ text: String) async throws {
        #expect(await SigningKey(try JSONValue(Array(text.utf8))) == nil)
    }

    @Test("A key for another use or algorithm is ignored")
    func otherUse() async throws {
        let jwk = try await TestKey(.ec, kid: "a").jwk
        for (old, new) in [(#""use":"sig""#, #""use":"enc""#), (#""use":"sig""#, #""alg":"RS256""#)] {
            #expect(await SigningKey(try JSONValue(Array(jwk.replacing(old, with: new).utf8))) == nil)
        }
    }
}
