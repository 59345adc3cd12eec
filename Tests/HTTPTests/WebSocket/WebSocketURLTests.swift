import Foundation
import Testing

@testable import HTTP

@Suite("URLs of WebSockets", .timeLimit(.minutes(5)))
struct WebSocketURLTests {
    @Test("URLs are parsed")
    func urls() throws {
        let plain = try WebSocketURL("ws://example.org:4984/db/_blipsync?client=cbl2")
        #expect(plain.host == "example.org" && plain.port == 4984 && !plain.isSecure && plain.target == "/db/_blipsync?client=cbl2")
        #expect(plain.authority == "example.org:4984")
        #expect(try WebSocketURL("ws://a").port == 80 && WebSocketURL("wss://a").port == 443)
        #expect(try WebSocketURL("WSS://a:443/x").authority == "a")
        #expect(try WebSocketURL("ws://[::1]:80").host == "::1")
        #expect(try WebSocketURL("ws://[::1]:81").authority == "[::1]:81")
        #expect(try WebSocketURL("ws://a/b%2Fc%20d").target == "/b%2Fc%20d")
        for url in ["http://a", "a", "", "ws://", "ws:///x", "ws:a"] {
            #expect { try WebSocketURL(url) } throws: { ($0 as? WebSocketError)?.code == .invalidURL }
        }
    }

    @Test("An unknown host is distinguished from a name server that does not respond")
    func lookups() async {
        #expect(HostLookup.code(of: EAI_NONAME) == .unknownHost)
        #expect(HostLookup.code(of: EAI_AGAIN) == .lookupFailed)
        #expect(HostLookup.code(of: EAI_FAIL) == .lookupFailed)
        // The result depends on the machine's network.
        let found = await #expect(throws: WebSocketError.self) {
            try await WebSocketClient.connect(to: "ws://no-such-host.invalid:1/")
        }
        #expect(found?.code == .unknownHost || found?.code == .lookupFailed)
        #expect(await HostLookup.failure(of: "localhost") == .lookupFailed)
    }
}
