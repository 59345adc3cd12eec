import Gateway
import Testing

@Suite("Client software by User-Agent")
struct ClientSoftwareTests {
    @Test(
        "The User-Agents of known clients are parsed",
        arguments: [
            ("CouchbaseLite/1.3 (iOS 1.4.4/abc)", "Couchbase Lite 1.4.4 (iOS)"),
            ("CouchbaseLite/1.3 (1.4.4/abc)", "Couchbase Lite 1.4.4"),
            ("CouchbaseLite/1.4.1 (Android)", "Couchbase Lite 1.4.1 (Android)"),
            ("CouchbaseLite/1.4 (Java Linux)", "Couchbase Lite 1.4 (Java Linux)"),
            ("CouchbaseLite/1.3 (.NET Linux / Unofficial (No branch)/No git information)", "Couchbase Lite 1.3 (.NET Linux)"),
            ("CouchbaseLite/1.3 (devbuild/devbuild)", "Couchbase Lite 1.3"),
            ("CouchbaseLite/1.4.1", "Couchbase Lite 1.4.1"),
            (
                "CouchbaseLite/3.2.1 (Swift; iOS 17.5; iPhone) Build/9 Commit/0a1b2c3d+4e5f6a7b LiteCore/3.2.1 (12)",
                "Couchbase Lite 3.2.1 (Swift, iOS 17.5)"
            ),
            ("CouchbaseLite/2.8.0-168 (Java; Android 11; Pixel 3) Build/0", "Couchbase Lite 2.8.0 (Java, Android 11)"),
            ("couchbase-lite-core/4.1.0 (<unknown branch>:)", "LiteCore 4.1.0"),
            ("CouchDB-Replicator/3.3.2", "CouchDB 3.3.2"), ("CouchDB/1.6.1", "CouchDB 1.6.1"), ("PouchDB/7.2.2", "PouchDB 7.2.2"),
            ("Dualgauge", "Dualgauge"), ("Dualgauge/0.1", "Dualgauge 0.1"),
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36", "Chrome 120"
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML) Version/17.0 Safari/604.1",
                "Safari 17"
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/121.0", "Firefox 121"),
        ])
    func known(_ agent: String, _ description: String) {
        #expect(ClientSoftware(agent).description == description)
    }

    @Test(
        "Unknown User-Agents are kept",
        arguments: [
            "node", "curl/7.88.1", "Go-http-client/1.1", "Mozilla/5.0", "MyApp/7 CouchbaseLite/1.4", "(((", ")", "/", " ",
            "<img onerror=x>",
        ])
    func unknown(_ agent: String) {
        #expect(ClientSoftware(agent).description == agent)
        #expect(ClientSoftware(agent).version == nil)
    }

    @Test("An empty User-Agent is unknown, and malformed ones are parsed without a failure")
    func odd() {
        #expect(ClientSoftware("").description == "unknown")
        #expect(ClientSoftware("CouchbaseLite/").description == "CouchbaseLite/")
        #expect(ClientSoftware("CouchbaseLite/x").description == "Couchbase Lite x")
        #expect(ClientSoftware("CouchbaseLite/3.1 (((Java;").description == "Couchbase Lite 3.1")
        #expect(ClientSoftware("CouchbaseLite/1.4 (").description == "Couchbase Lite 1.4")
    }
}
