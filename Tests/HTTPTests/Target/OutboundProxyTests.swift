import HTTP
import Testing

@Suite("Outbound proxy URLs")
struct OutboundProxyTests {
    @Test("Host, port and login are read, and descriptions contain no password")
    func parts() throws {
        let plain = try #require(OutboundProxy("http://proxy.example.com"))
        #expect(plain.host == "proxy.example.com" && plain.port == 80 && plain.credentials == nil)
        let full = try #require(OutboundProxy("HTTP://me:se%3Acret@[::1]:3128/"))
        #expect(full.host == "::1" && full.port == 3_128 && full.credentials == BasicCredentials(user: "me", password: "se:cret"))
        #expect("\(full)" == "[::1]:3128")
    }

    @Test(
        "Malformed URLs are refused",
        arguments: [
            "", "proxy:3128", "https://proxy:3128", "socks5://proxy", "http://proxy:70000", "http://proxy/path", "http://proxy?x",
            "http://proxy#x",
            "http://a%3Ab:c@proxy",
        ])
    func refused(_ url: String) {
        #expect(OutboundProxy(url) == nil)
    }
}
