import Testing

@testable import Discovery

@Suite("Services in the local network")
struct DiscoveredServiceTests {
    @Test(
        "Types of services",
        arguments: [
            ("_dualgauge._tcp", true), ("_a-1._udp", true), ("_abcdefghijklmno._tcp", true), ("_abcdefghijklmnop._tcp", false),
            ("_-._tcp", false),
            ("dualgauge._tcp", false), ("_dualgauge._sctp", false), ("_dualgauge", false), ("_dualgauge._tcp.local", false),
            ("_ä._tcp", false),
            ("", false), ("_._tcp", false),
        ])
    func types(text: String, isValid: Bool) {
        #expect((ServiceType(text) != nil) == isValid)
    }

    @Test("Each service has one entry, at an address that every client can use if there is one")
    func merging() {
        func service(_ name: String, _ address: String) -> DiscoveredService {
            DiscoveredService(name: name, host: "h.local", address: address, port: 1, texts: ["db=a", "db=b=c", "tls=1", "x"])
        }
        let merged = DiscoveredService.merged([
            service("b", "fe80::1"), service("a", "2001:db8::1"), service("b", "10.0.0.1"), service("a", "fe80::2"),
            service("b", "127.0.0.1"),
        ])
        #expect(merged.map(\.address) == ["2001:db8::1", "10.0.0.1"])
        #expect(merged[0]["db"] == ["a", "b=c"] && merged[0]["tls"] == ["1"] && merged[0]["none"] == [])
    }

    @Test("Without the library or its daemon, the error says what to install")
    func unavailable() async throws {
        // Where a daemon runs, both succeed.
        do {
            let announcement = try ServiceDiscovery.announce(name: "test", type: .bridge, port: 9, texts: ["db=a"]) { _ in }
            announcement.end()
            _ = try await ServiceSearch.services(within: .zero)
        } catch let error as DiscoveryError {
            #expect(error.description.contains("apt-get install avahi-daemon") && !error.reason.isEmpty)
        }
    }
}
