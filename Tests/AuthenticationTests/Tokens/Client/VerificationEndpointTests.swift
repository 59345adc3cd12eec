import NIOCore
import Testing

@testable import Authentication

@Suite("Token logins: permitted addresses")
struct VerificationEndpointTests {
    @Test(
        "Configured addresses are accepted if they are secure",
        arguments: [
            ("https://verifier.example.com/verify", true), ("https://10.0.0.5:8443/x?y=z", true), ("http://127.0.0.1:80", true),
            ("http://localhost:8080/", true), ("http://[::1]:80/", true), ("http://verifier.example.com", false),
            ("http://10.0.0.5", false),
            ("http://127.0.0.1.example.com", false), ("http://localhost.example.com", false), ("ftp://example.com", false),
            ("example.com", false),
            ("", false), ("https://", false), ("https:///x", false), ("https://user@example.com", false),
            ("https://user:pw@example.com", false),
            ("https://example.com/#f", false), ("https://example.com/ x", false), (#"https://example.com/"x"#, false),
            ("https://exämple.com", false),
            ("https://example.com/\n", false), ("https://127.0.0.1:65535", true), ("https://127.0.0.1:65536", false),
            ("https://example.com:99999/x", false), ("https://example.com:0", false),
        ])
    func configured(_ text: String, _ isAllowed: Bool) {
        #expect(((try? VerificationEndpoint(configured: text)) != nil) == isAllowed)
    }

    @Test("An old server is accepted without TLS")
    func plain() throws {
        #expect(
            try VerificationEndpoint(configured: "http://old.example.com/shop", plainHTTP: .anywhere).url == "http://old.example.com/shop")
    }

    @Test(
        "Addresses that a configured server names are accepted if they are secure and public",
        arguments: [
            ("https://id.example.com", "https://id.example.com/keys", true), ("https://id.example.com", "https://keys.example.net/k", true),
            ("https://id.example.com", "http://id.example.com/keys", false), ("https://id.example.com", "https://192.168.0.1/keys", false),
            ("https://id.example.com", "https://[fe80::1]/keys", false),
            ("https://id.example.com", "https://[::ffff:10.0.0.1]/keys", false),
            ("https://id.example.com", "https://localhost/keys", false), ("https://10.0.0.5", "https://10.0.0.5:9000/keys", true),
            ("https://10.0.0.5", "https://10.0.0.6/keys", false), ("http://127.0.0.1:1", "http://127.0.0.1:2/keys", true),
            ("http://127.0.0.1:1", "http://example.com/keys", false), ("https://id.example.com", "https://u:p@id.example.com/keys", false),
            ("https://id.example.com", "//id.example.com/keys", false), ("http://127.0.0.1:1", "http://127.0.0.1:99999/keys", false),
            ("https://id.example.com", "https://93.184.216.34:99999/keys", false),
        ])
    func discovered(_ configured: String, _ text: String, _ isAllowed: Bool) throws {
        let configured = try VerificationEndpoint(configured: configured)
        #expect(((try? VerificationEndpoint(discovered: text, by: configured)) != nil) == isAllowed)
    }

    @Test("Paths and queries are appended")
    func parts() throws {
        let endpoint = try VerificationEndpoint(configured: "https://old.example.com:8443/shop/")
        #expect(endpoint.appending("/_session").url == "https://old.example.com:8443/shop/_session")
        #expect(endpoint.root("/_session").url == "https://old.example.com:8443/_session")
        #expect(
            endpoint.appending(query: [("a", "b&c")]).appending(query: [("d", "é")]).url
                == "https://old.example.com:8443/shop/?a=b%26c&d=%C3%A9")
        #expect("\(endpoint.appending(query: [("token", "CANARY")]))" == "https://old.example.com:8443/shop/")
    }

    @Test(
        "Private and reserved addresses are distinguished from public ones",
        arguments: [
            ("8.8.8.8", true), ("1.1.1.1", true), ("172.15.0.1", true), ("172.32.0.1", true), ("100.63.0.1", true), ("192.0.1.1", true),
            ("0.0.0.0", false), ("10.1.2.3", false), ("100.64.0.1", false), ("127.0.0.1", false), ("169.254.169.254", false),
            ("172.16.0.1", false),
            ("172.31.255.255", false), ("192.0.0.1", false), ("192.0.2.1", false), ("192.168.1.1", false), ("198.18.0.1", false),
            ("198.51.100.1", false),
            ("203.0.113.1", false), ("224.0.0.1", false), ("255.255.255.255", false), ("2606:4700::1111", true), ("::1", false),
            ("::", false),
            ("fe80::1", false), ("fc00::1", false), ("fd00::1", false), ("ff02::1", false), ("::ffff:10.0.0.1", false),
            ("::ffff:8.8.8.8", true),
            ("64:ff9b::10.0.0.1", false), ("64:ff9b::8.8.8.8", true), ("2002:a00:1::", false), ("2001:db8::1", false), ("2001::1", false),
        ])
    func addresses(_ text: String, _ isPublic: Bool) throws {
        #expect(try SocketAddress(ipAddress: text, port: 443).isPublic == isPublic)
    }
}
