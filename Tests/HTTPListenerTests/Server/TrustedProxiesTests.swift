import HTTPTypes
import NIOCore
import Testing

@testable import HTTP
@testable import HTTPListener

@Suite("Client addresses behind proxies")
struct TrustedProxiesTests {
    private static let address = HTTPField.Name("X-Forwarded-For") ?? .origin
    private static let scheme = HTTPField.Name("X-Forwarded-Proto") ?? .origin

    private func resolve(
        _ trusted: [String], from peer: String, _ addresses: [String] = [], scheme: String? = nil, isSecure: Bool = false
    ) throws -> (address: String?, isSecure: Bool) {
        var headers = HTTPFields()
        for text in addresses { headers.append(HTTPField(name: Self.address, value: text)) }
        if let scheme { headers[Self.scheme] = scheme }
        let proxies = TrustedProxies(try trusted.map { try #require(AddressRange($0)) })
        let info = RequestInfo(remoteAddress: try SocketAddress(ipAddress: peer, port: 1), isSecure: isSecure)
        let resolved = proxies.resolve(info, headers)
        return (resolved.remoteAddress?.ipAddress, resolved.isSecure)
    }

    @Test("Only named proxies are trusted")
    func untrusted() throws {
        let none = try resolve([], from: "127.0.0.1", ["6.6.6.6"], scheme: "https")
        #expect(none.address == "127.0.0.1" && !none.isSecure)
        let other = try resolve(["10.0.0.0/8"], from: "127.0.0.1", ["6.6.6.6"], scheme: "https")
        #expect(other.address == "127.0.0.1" && !other.isSecure)
    }

    @Test("The list is read from its end while the writer is trusted, and a client's own entries are ignored")
    func chain() throws {
        let trusted = ["10.0.0.0/8", "127.0.0.1"]
        #expect(try resolve(trusted, from: "127.0.0.1", ["1.2.3.4"]).address == "1.2.3.4")
        #expect(try resolve(trusted, from: "127.0.0.1", ["6.6.6.6, 1.2.3.4"]).address == "1.2.3.4")
        #expect(try resolve(trusted, from: "127.0.0.1", ["6.6.6.6, 1.2.3.4 ,10.1.1.1"]).address == "1.2.3.4")
        #expect(try resolve(trusted, from: "127.0.0.1", ["6.6.6.6", "1.2.3.4", "10.1.1.1"]).address == "1.2.3.4")
        #expect(try resolve(trusted, from: "127.0.0.1", ["10.2.2.2,10.1.1.1"]).address == "10.2.2.2")
        #expect(try resolve(trusted, from: "127.0.0.1").address == "127.0.0.1")
        #expect(try resolve(trusted, from: "127.0.0.1", ["1.2.3.4, nonsense, 10.1.1.1"]).address == "10.1.1.1")
        let long = Array(repeating: "10.1.1.1", count: 10_000).joined(separator: ",")
        #expect(try resolve(trusted, from: "127.0.0.1", ["1.2.3.4,\(long)"]).address == "10.1.1.1")
    }

    @Test(
        "All forms of an address are read",
        arguments: [
            ("1.2.3.4:5678", "1.2.3.4"), ("2001:db8::1", "2001:db8::1"), ("[2001:db8::1]:5678", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1", "127.0.0.1"), ("", "127.0.0.1"), ("unknown", "127.0.0.1"), ("_hidden", "127.0.0.1"),
            ("/tmp/socket", "127.0.0.1"),
        ])
    func forms(text: String, expected: String) throws {
        #expect(try resolve(["127.0.0.1"], from: "127.0.0.1", [text]).address == expected)
    }

    @Test("A request through a proxy keeps the memory account and everything else, except for the proxy's certificate")
    func rest() throws {
        let info = RequestInfo(
            remoteAddress: try SocketAddress(ipAddress: "127.0.0.1", port: 1), isBrowser: true, memory: MemoryAccount())
        let proxies = TrustedProxies([try #require(AddressRange("127.0.0.1"))])
        let resolved = proxies.resolve(info, [Self.address: "1.2.3.4"])
        #expect(resolved.remoteAddress?.ipAddress == "1.2.3.4" && resolved.isBrowser)
        #expect(resolved.memory === info.memory)
    }

    @Test("The scheme is the nearest proxy's, or the connection's own without one")
    func schemes() throws {
        let trusted = ["::ffff:127.0.0.1"]
        #expect(try resolve(trusted, from: "127.0.0.1", scheme: "https").isSecure)
        #expect(try resolve(trusted, from: "127.0.0.1", scheme: "http, WSS").isSecure)
        #expect(try !resolve(trusted, from: "127.0.0.1", scheme: "https, http", isSecure: true).isSecure)
        #expect(try resolve(trusted, from: "127.0.0.1", isSecure: true).isSecure)
        #expect(try !resolve(trusted, from: "127.0.0.1").isSecure)
    }
}
