import Documents
import HTTPTypes
import HummingbirdCore
import Testing

@testable import Access

@Suite("What a device had seen on the server that it comes from")
struct UpstreamSightTests {
    private let clock = SecondClock()

    /// A Sync Gateway: waldo's own channel `a` since 1 and `b` since 9, his role's channels `s` from before and `t` since 9.
    @Sendable private static func gateway(_ call: FakeVerifier.Call) -> Response {
        if call.path == "/shop/_session" {
            let name = call.headers[.authorization] == nil ? "null" : #""waldo""#
            return json(#"{"ok":true,"userCtx":{"channels":{"!":1,"a":1,"b":9},"name":\#(name)}}"#)
        }
        let user = #"{"seq":3,"id":"_user/waldo","changes":[]}"#
        if call.target.contains("bychannel") {
            for (channel, row) in [("s", #"{"seq":"2:1","id":"s1"}"#), ("t", #"{"seq":"9:2","id":"t1"}"#)]
            where call.target.contains("channels=\(channel)&") {
                return json(#"{"results":[\#(user),\#(row)]}"#)
            }
            return json(#"{"results":[\#(user)]}"#)
        }
        return json(#"{"results":[{"seq":"9:2","id":"t1"},{"seq":10,"id":"s1"},{"seq":"10::11","id":"s2"}]}"#)
    }

    private func sight(
        _ url: String, of user: String? = "waldo", at place: String = "5", reached: Int64? = 5, holding held: Set<String> = [],
        limits: VerificationLimits = patientLimits
    ) async throws -> UpstreamCheckpoints.SightAnswer {
        let configuration = UpstreamConfiguration(database: try VerificationEndpoint(configured: "\(url)/shop", plainHTTP: .anywhere))
        let checkpoints = UpstreamCheckpoints(configuration, limits: limits, clock: clock.clock)
        let credentials = user.map { UpstreamLogin.Credentials.basic(user: $0, password: Secret("CANARY")) }
        let answer = await checkpoints.sight(
            of: user, at: .init(text: place, reached: reached), holding: held, with: credentials)
        await checkpoints.close()
        return answer
    }

    @Test("A user's own channels are told with their times; nothing else is asked where he holds no others here")
    func own() async throws {
        try await FakeVerifier.run(Self.gateway) { (server, url) async throws in
            let found = try await sight(url, holding: ["a", "b"])
            #expect(found == .told(UpstreamSight(channels: ["!", "a"], later: ["b": 9])))
            #expect(server.calls.count == 1)
            #expect(try await sight(url, at: "9", reached: 9) == .told(UpstreamSight(channels: ["!", "a", "b"])))
            #expect(try await sight(url, at: "9-x", reached: nil) == .told(UpstreamSight(later: ["!": 1, "a": 1, "b": 9])))
        }
    }

    @Test("Of his roles' channels, those that the feed does not go back for were seen; one that he may not see was not")
    func roles() async throws {
        try await FakeVerifier.run(Self.gateway) { (server, url) async throws in
            let found = try await sight(url, holding: ["a", "s", "t", "x"])
            #expect(found == .told(UpstreamSight(channels: ["!", "a", "s"], later: ["b": 9])))
            #expect(server.calls.contains { $0.target.hasSuffix("_changes?since=5&limit=1000") })
            let many = Set((0..<21).map { "c\($0)" })
            #expect(try await sight(url, holding: many) == .told(UpstreamSight(channels: ["!", "a"], later: ["b": 9])))
            #expect(server.count("/shop/_changes") == 4)
        }
    }

    @Test("A device that is far behind is not followed through the whole feed")
    func farBehind() async throws {
        let rows = (0..<1_000).map { #"{"seq":\#($0),"id":"d\#($0)"}"# }.joined(separator: ",")
        try await FakeVerifier.run({ call in
            call.path == "/shop/_session" ? Self.gateway(call) : json(#"{"results":[\#(rows)]}"#)
        }) { (server, url) async throws in
            #expect(try await sight(url, holding: ["s"]) == .told(UpstreamSight(channels: ["!", "a"], later: ["b": 9])))
            #expect(server.count("/shop/_changes") == 1)
        }
    }

    @Test("The guest is the guest there; somebody else's session tells nothing")
    func others() async throws {
        try await FakeVerifier.run(Self.gateway) { (_, url) async throws in
            #expect(try await sight(url, of: nil) == .told(UpstreamSight(channels: ["!", "a"], later: ["b": 9])))
            #expect(try await sight(url, of: "other") == .told(UpstreamSight()))
        }
        try await FakeVerifier.run({ _ in json(#"{"userCtx":{"name":null,"channels":null}}"#) }) { (_, url) async throws in
            #expect(try await sight(url, of: nil) == .told(UpstreamSight()))
        }
        try await FakeVerifier.run({ _ in json(#"{"error":"Unauthorized"}"#, 401) }) { (_, url) async throws in
            #expect(try await sight(url) == .told(UpstreamSight()))
        }
    }

    @Test("A CouchDB shows every document to all who read the database")
    func couchDB() async throws {
        try await FakeVerifier.run({ call in
            call.path == "/_session" ? json(#"{"ok":true,"userCtx":{"name":"waldo","roles":["sales"]}}"#) : json("{}", 404)
        }) { (server, url) async throws in
            #expect(try await sight(url, at: "5-x", reached: nil, holding: ["a"]) == .told(UpstreamSight(channels: ["*"])))
            #expect(server.calls.count == 2)
        }
    }

    @Test("Who cannot be asked is asked again, for as long as clients are to wait")
    func down() async throws {
        #expect(try await sight("http://127.0.0.1:1") == .unavailable)
        try await FakeVerifier.run({ _ in json("<html>", 502) }) { (_, url) async throws in
            let configuration = UpstreamConfiguration(database: try VerificationEndpoint(configured: "\(url)/shop", plainHTTP: .anywhere))
            let checkpoints = UpstreamCheckpoints(configuration, limits: patientLimits, clock: clock.clock)
            for (seconds, expected) in [(0, .unavailable), (599, .unavailable), (600, .lost)] as [(Int64, UpstreamCheckpoints.SightAnswer)]
            {
                clock.advance(seconds == 600 ? 1 : seconds)
                let place = UpstreamCheckpoints.Place(text: "5", reached: 5)
                #expect(await checkpoints.sight(of: nil, at: place, holding: [], with: nil) == expected)
            }
            await checkpoints.close()
        }
    }
}
