import Testing

@testable import HTTP

@Suite("Whether an address can be listened at", .timeLimit(.minutes(1)))
struct ListeningProbeTests {
    @Test("A client that connects meanwhile is sent away, and does not wait for an answer")
    func clients() async throws {
        var found: RawClient?
        try await HTTPServer.holding(host: "127.0.0.1", port: 0) { port in
            let client = try await RawClient.connect(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            // What can be accepted has been by the time a second client is connected and has sent.
            let other = try await RawClient.connect(port: port)
            try await other.send("GET / HTTP/1.1\r\n")
            found = client
        }
        let client = try #require(found)
        #expect(try await client.readToEnd() == "")
    }

    @Test("An address that somebody listens at already is told")
    func taken() async throws {
        try await HTTPServer.holding(host: "127.0.0.1", port: 0) { port in
            await #expect(throws: (any Error).self) { try await HTTPServer.probe(host: "127.0.0.1", port: port) }
        }
    }
}
