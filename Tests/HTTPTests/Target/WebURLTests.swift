import Foundation
import HTTP
import Testing

@Suite("Server URLs")
struct WebURLTests {
    @Test("Parts are read, with the scheme's default port")
    func parts() throws {
        let plain = try #require(WebURL("HTTP://Example.com/db?x=1", schemes: WebURL.http))
        #expect(plain.scheme == "http" && plain.host == "Example.com" && plain.port == 80 && !plain.isSecure)
        #expect(plain.parts.string == "http://Example.com/db?x=1")
        let secure = try #require(WebURL("wss://[::1]:65535/db", schemes: WebURL.webSocket))
        #expect(secure.isSecure && secure.port == 65_535 && secure.host == "[::1]" && secure.bareHost == "::1")
        #expect(WebURL("https://example.com", schemes: WebURL.http)?.port == 443)
    }

    @Test(
        "Another scheme, a missing host and impossible ports are refused",
        arguments: [
            "", "/db", "example.com:80", "ws://example.com", "ftp://example.com", "http:///db", "http://", "http://127.0.0.1:65536/x",
            "http://127.0.0.1:99999/x", "http://example.com:99999999999999999999/x", "http://127.0.0.1:0", "http://127.0.0.1:-1/x",
            "http://127.0.0.1:9223372036854775807/", "http://a b/", "http://[::1]:70000/",
        ])
    func refused(_ text: String) {
        #expect(WebURL(text, schemes: WebURL.http) == nil)
    }
}
