import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Sizes, times, addresses and similar words")
struct QuantityTests {
    @Test(
        "Sizes are read",
        arguments: [
            ("0", 0), ("1024", 1024), ("1B", 1), ("512KiB", 512 << 10), ("20MiB", 20 << 20), ("3GiB", 3 << 30), ("1TiB", 1 << 40),
            ("5kB", 5000), ("5KB", 5000), ("5MB", 5_000_000), ("5GB", 5_000_000_000),
        ])
    func sizes(_ text: String, _ bytes: Int) {
        #expect(Quantity.size(text) == bytes)
    }

    @Test(
        "Invalid sizes are refused",
        arguments: ["", "MiB", "-1", "-1MiB", "1.5MiB", "1 MiB", "1mib", "1PB", "99999999999999999999", "9999999999TiB", "0x10"])
    func badSizes(_ text: String) {
        #expect(Quantity.size(text) == nil)
    }

    @Test(
        "Times are read",
        arguments: [
            ("0s", Duration.zero), ("250ms", .milliseconds(250)), ("30s", .seconds(30)), ("5m", .seconds(300)), ("2h", .seconds(7200)),
            ("1d", .seconds(86400)), ("36500d", .seconds(36_500 * 86_400)),
        ])
    func durations(_ text: String, _ duration: Duration) {
        #expect(Quantity.duration(text) == duration)
    }

    @Test(
        "Invalid times are refused",
        arguments: ["", "s", "5", "-5s", "1.5h", "5 m", "5min", "9999999999999999d", "1099511627775d", "36501d"])
    func badDurations(_ text: String) {
        #expect(Quantity.duration(text) == nil)
    }

    @Test(
        "Addresses are read",
        arguments: [
            ("127.0.0.1:4984", "127.0.0.1", 4984), ("localhost:0", "localhost", 0), ("[::1]:4984", "::1", 4984),
            (":65535", "0.0.0.0", 65535),
            ("4984", "127.0.0.1", 4984),
        ])
    func addresses(_ text: String, _ host: String, _ port: Int) throws {
        let address = try #require(ListenAddress(text))
        #expect(address == ListenAddress(host: host, port: port))
        #expect(ListenAddress(address.description) == address)
    }

    @Test("Invalid addresses are refused", arguments: ["", ":", "a", "a:", "a:b", "a:-1", "a:65536", "::1:80", "[::1]", "[::1", "1:2:3"])
    func badAddresses(_ text: String) throws {
        #expect(ListenAddress(text) == nil)
        let error = try #require(
            try complaint { try parse("listen: { admin: \"\(text)\" }\ndatabases: { shop: { store: s } }") })
        #expect(error.code == .badValue && error.path == "listen.admin" && error.line == 1)
        #expect(error.message.contains("127.0.0.1:4984"))
    }

    @Test(
        "The distance of words counts edits",
        arguments: [
            ("", "", 0), ("a", "", 1), ("", "abc", 3), ("kitten", "sitting", 3), ("store", "stoer", 1), ("rotues", "routes", 1),
            ("équal", "equal", 1),
        ])
    func distances(_ a: String, _ b: String, _ distance: Int) {
        #expect(EditDistance.between(a, b) == distance)
        #expect(EditDistance.between(b, a) == distance)
    }
}
