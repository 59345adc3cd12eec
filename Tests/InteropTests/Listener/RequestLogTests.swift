import BridgeConfiguration
import Coordination
import Gateway
import Server
import Testing

@Suite("The log of requests")
struct RequestLogTests {
    @Test(
        "Each request is logged with its user and client once the admin port enables it; gzip is used if the client accepts it",
        .timeLimit(.minutes(5)))
    func requests() async throws {
        let lines = Lock<[String]>([])
        let log = LogControl { line in lines.withLock { $0.append(line) } }
        try await RunningBridge.run(logging: log) { bridge in
            _ = try await bridge.ask("GET", "/shop/secret-1")
            #expect(lines.withLock { $0.filter { $0.contains(" request ") }.isEmpty })
            let answer = try await bridge.admin("PUT", "/_logging", #"{"HTTP":true}"#)
            #expect(answer.status == 200)
            _ = try await bridge.ask("GET", "/shop/_changes?since=0&nonsense=1", headers: "User-Agent: CouchbaseLite/1.3 (1.4.4/abc)\r\n")
            _ = try await bridge.ask("GET", "/shop/secret-2")
            let text = String(repeating: "All work and no play. ", count: 200)
            _ = try await bridge.ask("PUT", "/shop/long", "{\"text\":\"\(text)\"}")
            let plain = try await bridge.ask("GET", "/shop/long")
            let packed = try await bridge.ask("GET", "/shop/long", headers: "Accept-Encoding: gzip\r\n")
            #expect(plain["Content-Encoding"] == nil && packed["Content-Encoding"] == "gzip")
            #expect(packed.body.count < plain.body.count / 10)
        }
        let requests = lines.withLock { $0.filter { $0.contains("[HTTP] request") } }
        let feed = try #require(requests.first { $0.contains("_changes") })
        #expect(feed.contains("method=GET") && feed.contains("path=<ud>/shop/_changes?since=0</ud>") && feed.contains("status=200"))
        #expect(
            feed.contains("client=\"CouchbaseLite/1.3 (1.4.4/abc)\"") && feed.contains("generation=1")
                && feed.contains("user=<ud>guest</ud>"))
        #expect(requests.contains { $0.contains("secret-2") && $0.contains("status=404") })
        #expect(!requests.contains { $0.contains("secret-1") })
    }
}
