import Testing

@testable import HTTPListener

@Suite("Probe of a listening address", .timeLimit(.minutes(1)))
struct ListeningProbeTests {
    @Test("A client that connects during the probe is disconnected without waiting for a response")
    func clients() async throws {
        var found: RawClient?
        try await HTTPServer.holding(host: "127.0.0.1", port: 0) { port in
            let client = try await RawClient.connect(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            // All pending connections have been accepted when a second client has connected and sent.
            let other = try await RawClient.connect(port: port)
            try await other.send("GET / HTTP/1.1\r\n")
            found = client
        }
        let client = try #require(found)
        #expect(try await client.readToEnd() == "")
    }

    @Test("An address in use is an error")
    func taken() async throws {
        try await HTTPServer.holding(host: "127.0.0.1", port: 0) { port in
            await #expect(throws: (any Error).self) { try await HTTPServer.probe(host: "127.0.0.1", port: port) }
        }
    }
}
