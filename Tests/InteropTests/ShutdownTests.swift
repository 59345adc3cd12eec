import Foundation
import TestSupport
import Testing

/// SIGTERM with connections and replications that do not end by themselves.
@Suite("Shutdown")
struct ShutdownTests {
    @Test("At a shutdown endless requests of both ports are ended together, and the bridge exits by itself")
    func hangingRequests() async throws {
        let folder = try TemporaryFolder()
        let config = try folder.write(
            """
            listen: { public: "127.0.0.1:0", admin: "127.0.0.1:0" }
            databases:
              shop: { store: shop.dualgauge, guest: { enabled: true, channels: ["*"] } }
            """, to: "dualgauge.yaml")
        let program = try await Program(serving: config)
        let sockets = [try RawSocket(port: program.port), try RawSocket(port: program.adminPort)]
        for socket in sockets {
            try await socket.send(
                "PUT /shop/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 20\r\nExpect: 100-continue\r\n\r\n"
            )
            _ = try await socket.read(until: "100 Continue\r\n\r\n")
        }
        program.signal(SIGTERM)
        #expect(await program.end() == 0)
    }
}
