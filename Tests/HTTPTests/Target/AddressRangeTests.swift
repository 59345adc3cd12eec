import NIOCore
import Testing

@testable import HTTP

@Suite("Address ranges")
struct AddressRangeTests {
    @Test(
        "A range contains its addresses and no others",
        arguments: [
            ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "10.1.2.4", false), ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("192.168.4.0/22", "192.168.7.255", true), ("192.168.4.0/22", "192.168.8.0", false), ("0.0.0.0/0", "8.8.8.8", true),
            ("0.0.0.0/0", "::1", false), ("10.1.2.3/31", "10.1.2.2", true), ("2001:db8::/32", "2001:db8:1::1", true),
            ("2001:db8::/32", "2001:db9::1", false), ("::1", "::1", true), ("::/0", "10.0.0.1", false),
            ("127.0.0.1", "::ffff:127.0.0.1", true),
            ("10.0.0.0/8", "::ffff:10.9.9.9", true),
        ])
    func contains(range: String, address: String, expected: Bool) throws {
        let address = try SocketAddress(ipAddress: address, port: 80)
        #expect(try #require(AddressRange(range)).contains(address) == expected)
    }

    @Test(
        "Malformed ranges are refused",
        arguments: ["", "10.0.0", "localhost", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "::/129", "10.0.0.0/8/8", "/8"])
    func refused(text: String) {
        #expect(AddressRange(text) == nil)
    }
}
