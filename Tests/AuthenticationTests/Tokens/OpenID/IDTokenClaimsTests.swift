import Access
import Documents
import Testing

@testable import Authentication

@Suite("Token logins: claims of ID tokens")
struct IDTokenClaimsTests {
    private static let issuer = "https://id.example.com"
    private static let now: Int64 = 1_800_000_000

    private func isAccepted(_ changes: [String: String?], clientIDs: [String] = ["app"], nonce: String? = nil) throws -> Bool {
        let configuration = try OpenIDConfiguration.test(Self.issuer, clientIDs: clientIDs)
        let value = try JSONValue(Array(claims(Self.issuer, now: Self.now, changes).utf8))
        do {
            _ = try IDTokenClaims(value, for: configuration, nonce: nonce, now: Self.now)
            return true
        } catch {
            #expect(error.code == .refused)
            return false
        }
    }

    @Test("Issuer and audience must match")
    func parties() throws {
        #expect(try isAccepted([:]))
        for issuer in [nil, #""https://evil.example.com""#, #""https://id.example.com/""#, #""HTTPS://id.example.com""#, "7", "null"] {
            #expect(try !isAccepted(["iss": issuer]))
        }
        for audience in [nil, #""other""#, #""App""#, "[]", #"["other"]"#, "null", "{}", "[7]"] {
            #expect(try !isAccepted(["aud": audience]))
        }
        #expect(try isAccepted(["aud": #"["app"]"#]))
        #expect(try isAccepted(["aud": #""web""#], clientIDs: ["app", "web"]))
        #expect(try !isAccepted(["aud": #"["app","other"]"#]))
        #expect(try isAccepted(["aud": #"["app","other"]"#, "azp": #""app""#]))
        #expect(try !isAccepted(["aud": #"["app","other"]"#, "azp": #""other""#]))
        #expect(try !isAccepted(["azp": #""other""#]))
        #expect(try !isAccepted(["azp": "7"]))
    }

    @Test("Times are checked with a minute of tolerance")
    func times() throws {
        let now = Self.now
        for expiry in [nil, "\(now - 60)", "0", "-1", #""\#(now + 100)""#, "null", "1e300", "1e13"] {
            #expect(try !isAccepted(["exp": expiry]))
        }
        for expiry in ["\(now - 59)", "\(now)", "\(now + 1).5", "1.9e9"] { #expect(try isAccepted(["exp": expiry])) }
        for name in ["nbf", "iat"] {
            #expect(try isAccepted([name: nil]))
            #expect(try isAccepted([name: "\(now + 60)"]))
            for time in ["\(now + 61)", #""now""#, "null", "-5"] { #expect(try !isAccepted([name: time])) }
        }
    }

    @Test("Subject and nonce are required")
    func subject() throws {
        for subject in [nil, "\"\"", "7", #""\#(String(repeating: "s", count: 256))""#] { #expect(try !isAccepted(["sub": subject])) }
        #expect(try isAccepted(["nonce": #""n""#], nonce: "n"))
        for nonce in [nil, #""m""#, "\"\"", "7"] { #expect(try !isAccepted(["nonce": nonce], nonce: "n")) }
    }

    @Test(
        "User names equal Sync Gateway's",
        arguments: [
            ("https://id.example.com", "17", "id.example.com_17"),
            ("https://id.example.com/realms/a_b", "a b|c", "id.example.com%2Frealms%2Fa_b_a+b%7Cc"),
            ("https://id.example.com:8443/", "ü", "id.example.com%3A8443%2F_%C3%BC"),
        ])
    func names(_ issuer: String, _ subject: String, _ name: String) throws {
        let configuration = try OpenIDConfiguration.test(issuer)
        #expect(try configuration.userName(for: subjectClaims(configuration, subject)).text == name)
    }

    @Test("User names are built by prefix and by claim")
    func configuredNames() throws {
        var configuration = try OpenIDConfiguration.test(Self.issuer)
        let token = try subjectClaims(configuration, "17", ["login": #""waldo@x""#, "number": "42", "empty": "\"\"", "list": "[]"])
        configuration.naming = .subject(prefix: "acme")
        #expect(try configuration.userName(for: token).text == "acme_17")
        configuration.naming = .claim("login", prefix: nil)
        #expect(try configuration.userName(for: token).text == "waldo%40x")
        configuration.naming = .claim("login", prefix: "acme")
        #expect(try configuration.userName(for: token).text == "acme_waldo%40x")
        configuration.naming = .claim("number", prefix: nil)
        #expect(try configuration.userName(for: token).text == "42")
        for claim in ["empty", "list", "missing"] {
            configuration.naming = .claim(claim, prefix: nil)
            #expect(throws: LoginError.self) { try configuration.userName(for: token) }
        }
    }

    private func subjectClaims(_ configuration: OpenIDConfiguration, _ subject: String, _ more: [String: String?] = [:]) throws
        -> IDTokenClaims
    {
        let text = claims(configuration.issuer, now: Self.now, more.merging(["sub": #""\#(subject)""#]) { first, _ in first })
        return try IDTokenClaims(try JSONValue(Array(text.utf8)), for: configuration, now: Self.now)
    }
}
