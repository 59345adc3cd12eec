import HTTPTypes
import HummingbirdCore
import NIOCore
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Pages of other sites and the admin port")
struct AdminGuardTests {
    private func isRefused(
        _ method: HTTPRequest.Method, host: String?, headers: HTTPFields = [:], listening: String = "127.0.0.1"
    ) -> Bool {
        let head = HTTPRequest(method: method, scheme: "http", authority: host, path: "/shop/_migrations", headerFields: headers)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        return AdminGuard(address: ListenAddress(host: listening, port: 4985)).refusal(of: request) != nil
    }

    private func fields(origin: String?, site: String?) throws -> HTTPFields {
        var headers: HTTPFields = [:]
        headers[.origin] = origin
        let name = try #require(HTTPField.Name("Sec-Fetch-Site"))
        headers[name] = site
        return headers
    }

    @Test(
        "A request of a foreign page changes nothing",
        arguments: [
            ("http://evil.example", nil), ("http://evil.example", "cross-site"), ("null", nil), ("null", "cross-site"),
            (nil, "cross-site"), (nil, "same-site"), ("http://127.0.0.1:8080", "same-site"), ("http://localhost:4985", "cross-site"),
            ("http://127.0.0.1:4985", "cross-site"), (nil, ""), (nil, "none, cross-site"),
        ] as [(String?, String?)])
    func foreign(_ origin: String?, _ site: String?) throws {
        let headers = try fields(origin: origin, site: site)
        for method in [HTTPRequest.Method.post, .put, .delete, .options, .patch] {
            #expect(isRefused(method, host: "127.0.0.1:4985", headers: headers))
            #expect(isRefused(method, host: "127.0.0.1:4985", headers: headers, listening: "0.0.0.0"))
        }
        // Foreign pages cannot read the replies, and users follow links.
        #expect(!isRefused(.get, host: "127.0.0.1:4985", headers: headers))
    }

    @Test(
        "The page itself, and programs that are no browsers, may change data",
        arguments: [
            (nil, nil), ("http://127.0.0.1:4985", nil), ("http://127.0.0.1:4985", "same-origin"), (nil, "none"),
            ("https://bridge.example.com", "same-origin"),
        ] as [(String?, String?)])
    func own(_ origin: String?, _ site: String?) throws {
        #expect(!isRefused(.post, host: "127.0.0.1:4985", headers: try fields(origin: origin, site: site)))
    }

    @Test("A browser reaches a loopback port only under loopback names; other programs may send any name")
    func rebinding() {
        let browser: HTTPFields = [.acceptLanguage: "en"]
        for host in [
            "evil.example", "evil.example:4985", "127.0.0.1.evil.example", "localhost.evil.example", "1.2.3", "1.2.3.4.5", "1.2.3.256",
            "127.0.0.1x", "xlocalhost", ".",
        ] {
            #expect(isRefused(.get, host: host, headers: browser), "\(host)")
            #expect(isRefused(.post, host: host, headers: browser), "\(host)")
            #expect(!isRefused(.get, host: host, headers: browser, listening: "0.0.0.0"), "\(host)")
            #expect(!isRefused(.post, host: host), "\(host)")
            for field in [HTTPField.Name.origin, .referer] { #expect(isRefused(.get, host: host, headers: [field: "http://\(host)"])) }
            #expect(isRefused(.get, host: host, headers: [.userAgent: "Mozilla/5.0 (X11)"]))
        }
        for host in [
            nil, "", "localhost", "LOCALHOST:4985", "a.localhost:1", "127.0.0.1", "127.0.0.1:4985", "127.1.2.3:4985", "[::1]:4985", "[::1]",
            "10.0.0.1:4985",
        ] {
            #expect(!isRefused(.get, host: host, headers: browser), "\(host ?? "none")")
            #expect(!isRefused(.get, host: host, headers: browser, listening: "::1"), "\(host ?? "none")")
        }
    }

    @Test("A foreign page opens no WebSocket, although that is a GET; the page itself and programs do")
    func sockets() throws {
        func isOpeningRefused(_ origin: String?, _ site: String?, host: String = "127.0.0.1:4985") throws -> Bool {
            var headers = try fields(origin: origin, site: site)
            headers[.upgrade] = "WebSocket"
            return isRefused(.get, host: host, headers: headers)
        }
        #expect(try isOpeningRefused("http://evil.example", nil) && isOpeningRefused("http://evil.example", "cross-site"))
        #expect(
            try isOpeningRefused("null", nil) && isOpeningRefused(nil, "cross-site")
                && isOpeningRefused("http://127.0.0.1:8080", "same-site"))
        // DNS rebinding: the page's own origin, under a name that resolves to this machine.
        #expect(try isOpeningRefused("http://evil.example:4985", "same-origin", host: "evil.example:4985"))
        #expect(try !isOpeningRefused(nil, nil) && !isOpeningRefused("http://127.0.0.1:4985", "same-origin"))
    }
}
