import Access
import Testing

@testable import Authentication

@Suite("Token logins: parsing of ID tokens")
struct IDTokenTests {
    private func code(header: String, claims: String = "{}", signature: [UInt8] = [1]) -> LoginError.Code? {
        code(TestKey.token(header: header, claims: claims, signature: signature).revealed)
    }

    private func code(_ text: String) -> LoginError.Code? {
        do {
            _ = try IDToken(Secret(text))
            return nil
        } catch {
            return error.code
        }
    }

    @Test("Supported signature algorithms are accepted, and others are refused")
    func algorithms() {
        #expect(code(header: #"{"alg":"RS256"}"#) == nil)
        #expect(code(header: #"{"alg":"ES256","kid":"k"}"#) == nil)
        for algorithm in ["none", "None", "NONE", "HS256", "HS384", "HS512", "RS384", "PS256", "ES384", "EdDSA", "rs256", ""] {
            #expect(code(header: #"{"alg":"\#(algorithm)"}"#) == .refused)
        }
        #expect(code(header: "{}") == .refused)
        #expect(code(header: #"{"alg":["RS256"]}"#) == .refused)
        #expect(code(header: #"{"alg":"RS256","crit":["b64"],"b64":false}"#) == .refused)
    }

    @Test("Malformed tokens are refused")
    func malformed() {
        let good = TestKey.token(header: #"{"alg":"RS256"}"#, claims: "{}", signature: [1]).revealed
        #expect(code(good) == nil)
        let parts = good.split(separator: ".").map(String.init)
        for text in [
            "", ".", "..", "a", "a.b", "\(good).x", "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).", "\(good)=", " \(good)",
            "\(good)\n",
            "\(parts[0]).!.\(parts[2])", "\(parts[0]).a.\(parts[2])", String(repeating: "a", count: 20_000),
        ] {
            #expect(code(text) == .malformed, "\(text.prefix(40))")
        }
        #expect(code(header: "[]") == .malformed)
        #expect(code(header: #"{"alg":"RS256"}"#, claims: "7") == .malformed)
        #expect(code(header: #"{"alg":"RS256","kid":7}"#) == .malformed)
        #expect(code(header: #"{"alg":"RS256","alg":"none"}"#) == .malformed)
        #expect(code(header: #"{"alg":"RS256"}"#, claims: #"{"sub":"a","sub":"b"}"#) == .malformed)
        #expect(code(header: #"{"alg":"RS256"}"#, claims: String(repeating: "[", count: 100)) == .malformed)
    }

    @Test("The signed bytes are the received ones")
    func signed() throws {
        let token = try IDToken(Secret("eyJhbGciOiJSUzI1NiJ9.e30.AQI"))
        #expect(token.signed == Array("eyJhbGciOiJSUzI1NiJ9.e30".utf8))
        #expect(token.signature == [1, 2])
        #expect(token.keyID == nil)
    }
}
