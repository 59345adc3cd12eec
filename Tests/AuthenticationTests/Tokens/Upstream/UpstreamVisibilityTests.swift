import Access
import Documents
import HTTPTypes
import HummingbirdCore
import Testing

@testable import Authentication

@Suite("Visibility of a device on the server that it comes from")
struct UpstreamVisibilityTests {
    private let clock = SecondClock()

    /// A Sync Gateway: waldo's own channel `a` since 1 and `b` since 9, his role's channels `s` from before and `t` since 9.
    @Sendable private static func gateway(_ call: FakeVerifier.Call) -> Response {
        if call.path == "/shop/_session" {
            let name = call.headers[.authorization] == nil ? "null" : #""waldo""#
            return json(#"{"ok":true,"userCtx":{"channels":{"!":1,"a":1,"b":9},"name":\#(name)}}"#)
        }
        let user = #"{"seq":3,"id":"_user/waldo","changes":[]}"#
        if call.target.contains("bychannel") {
            for (channel, row) in [("s", #"{"seq":"2:1","id":"s1"},{"seq":3,"id":"s3"}"#), ("t", #"{"seq":"9:2","id":"t1"}"#)]
            where call.target.contains("channels=\(channel)&") {
                return json(#"{"results":[\#(user),\#(row)]}"#)
            }
            return json(#"{"results":[\#(user)]}"#)
        }
        return json(#"{"results":[{"seq":"9:2","id":"t1"},{"seq":10,"id":"s1"},{"seq":"10::11","id":"s2"}]}"#)
    }

    private func sight(
        _ url: String, of user: String? = "waldo", at place: String = "5", reached: Int64? = 5, granted: Int64? = nil,
        holding held: Set<String> = [],
        seesEverything: Bool = false, limits: VerificationLimits = patientLimits,
        beside pull: UpstreamCheckpoints.Pull = .init()
    ) async throws -> UpstreamCheckpoints.VisibilityAnswer {
        let configuration = UpstreamConfiguration(database: try VerificationEndpoint(configured: "\(url)/shop", plainHTTP: .anywhere))
        let checkpoints = UpstreamCheckpoints(configuration, limits: limits, clock: clock.clock)
        let credentials = user.map { UpstreamLogin.Credentials.basic(user: $0, password: Secret("CANARY")) }
        let answer = try await checkpoints.sight(
            of: user, at: .init(text: place, reached: reached, granted: granted), holding: held, seesEverything: seesEverything,
            with: credentials,
            beside: pull)
        await checkpoints.close()
        return answer.withoutTold
    }

    @Test("A user's own channels come with their times, and channels cause no other request if the user has no others here")
    func own() async throws {
        try await FakeVerifier.run(Self.gateway) { (server, url) async throws in
            let found = try await sight(url, holding: ["a", "b"])
            #expect(found == .told(UpstreamVisibility(channels: ["!", "a"], later: ["b": 9])))
            #expect(server.calls.count == 2)
            #expect(try await sight(url, at: "9", reached: 9) == .told(UpstreamVisibility(channels: ["!", "a", "b"])))
            #expect(try await sight(url, at: "9-x", reached: nil) == .told(UpstreamVisibility(later: ["!": 1, "a": 1, "b": 9])))
        }
    }

    @Test("All own channels of the user are named, whenever they were granted; a CouchDB names none")
    func named() throws {
        for (channels, own) in [(#""channels":{"!":1,"a":1,"b":9}"#, ["a", "b"]), (#""roles":[]"#, nil)] as [(String, Set<String>?)] {
            let session = try UpstreamSession(JSONValue(Array(#"{"userCtx":{"name":"waldo",\#(channels)}}"#.utf8)))
            #expect(UpstreamVisibility(session, at: .init(text: "5", reached: 5)).own == own)
        }
    }

    @Test("A device in the backfill of a channel, as after any recent grant, has seen the channel up to there")
    func amongOlder() async throws {
        try await FakeVerifier.run(Self.gateway) { (_, url) async throws in
            #expect(try await sight(url, at: "9:5", reached: 5, granted: 9) == .told(UpstreamVisibility(channels: ["!", "a", "b"])))
            #expect(
                try await sight(url, at: "8:5", reached: 5, granted: 8) == .told(UpstreamVisibility(channels: ["!", "a"], later: ["b": 9])))
        }
    }

    @Test("A channel whose documents the feed sends completely, or which had none at the position, does not count as seen")
    func undecided() async throws {
        try await FakeVerifier.run({ call in
            guard call.path != "/shop/_session" else { return Self.gateway(call) }
            let rows = call.target.contains("bychannel") ? #"{"seq":4,"id":"x1"},{"seq":12,"id":"x2"}"# : #"{"seq":"9:4","id":"x1"}"#
            return json(#"{"results":[\#(rows)]}"#)
        }) { (_, url) async throws in
            #expect(try await sight(url, holding: ["x"]) == .told(UpstreamVisibility(channels: ["!", "a"], later: ["b": 9])))
        }
    }

    @Test("Of a role's channels, those without a backfill in the feed were seen, and an invisible one was not")
    func roles() async throws {
        try await FakeVerifier.run(Self.gateway) { (server, url) async throws in
            let found = try await sight(url, holding: ["a", "s", "t", "x"])
            #expect(found == .told(UpstreamVisibility(channels: ["!", "a", "s"], later: ["b": 9])))
            #expect(server.calls.contains { $0.target.hasSuffix("_changes?since=5&limit=1000") })
            let many = Set((0..<21).map { "c\($0)" })
            #expect(try await sight(url, holding: many) == .told(UpstreamVisibility(channels: ["!", "a"], later: ["b": 9])))
            #expect(server.count("/shop/_changes") == 5)
        }
    }

    @Test("A feed without a position to continue from is not read without end, and proves nothing")
    func endless() async throws {
        let rows = (0..<1_000).map { #"{"seq":\#($0),"id":"d\#($0)"}"# }.joined(separator: ",")
        try await FakeVerifier.run({ call in
            call.path == "/shop/_session" ? Self.gateway(call) : json(#"{"results":[\#(rows)]}"#)
        }) { (server, url) async throws in
            #expect(try await sight(url, holding: ["s"]) == .told(UpstreamVisibility(channels: ["!", "a"], later: ["b": 9])))
            #expect(server.count("/shop/_changes") == 1)
        }
    }

    @Test("The guest is the guest there, and another user's session proves nothing")
    func others() async throws {
        try await FakeVerifier.run(Self.gateway) { (_, url) async throws in
            #expect(try await sight(url, of: nil) == .told(UpstreamVisibility(channels: ["!", "a"], later: ["b": 9])))
            #expect(try await sight(url, of: "other") == .told(UpstreamVisibility()))
        }
        try await FakeVerifier.run({ _ in json(#"{"userCtx":{"name":null,"channels":null}}"#) }) { (_, url) async throws in
            #expect(try await sight(url, of: nil) == .told(UpstreamVisibility()))
        }
        try await FakeVerifier.run({ _ in json(#"{"error":"Unauthorized"}"#, 401) }) { (_, url) async throws in
            #expect(try await sight(url) == .told(UpstreamVisibility()))
        }
    }

    @Test("A CouchDB shows every document to all readers of the database")
    func couchDB() async throws {
        try await FakeVerifier.run({ call in
            call.path == "/_session" ? json(#"{"ok":true,"userCtx":{"name":"waldo","roles":["sales"]}}"#) : json("{}", 404)
        }) { (server, url) async throws in
            #expect(try await sight(url, at: "5-x", reached: nil, holding: ["a"]) == .told(UpstreamVisibility(channels: ["*"])))
            #expect(server.calls.count == 2)
        }
    }

    @Test("An unreachable server is asked again, for as long as clients have to wait")
    func down() async throws {
        #expect(try await sight("http://127.0.0.1:1") == .unavailable)
        try await FakeVerifier.run({ _ in json("<html>", 502) }) { (_, url) async throws in
            let configuration = UpstreamConfiguration(database: try VerificationEndpoint(configured: "\(url)/shop", plainHTTP: .anywhere))
            let checkpoints = UpstreamCheckpoints(configuration, limits: patientLimits, clock: clock.clock)
            for (seconds, expected) in [(0, .unavailable), (599, .unavailable), (600, .lost)]
                as [(Int64, UpstreamCheckpoints.VisibilityAnswer)]
            {
                clock.advance(seconds == 600 ? 1 : seconds)
                let place = UpstreamCheckpoints.Place(text: "5", reached: 5)
                #expect(try await checkpoints.sight(of: nil, at: place, holding: [], with: nil) == expected)
            }
            await checkpoints.close()
        }
    }

    /// A feed of 1,500 rows from position 5 on: every 500th deletes a document of the channel `b`, the next one removes one from `a`.
    @Sendable private static func losing(_ call: FakeVerifier.Call) -> Response {
        guard call.path != "/shop/_session" else { return Self.gateway(call) }
        let isOfChannel = call.target.contains("bychannel")
        let since = call.target.contains("since=1005") ? 1_005 : 5
        let last = isOfChannel ? 1_505 : min(since + 1_000, 1_505)
        var rows = (since + 1...last).map { number in
            switch number % 500 {
            case 0: #"{"seq":\#(number),"id":"gone\#(number)","deleted":true}"#
            case 1: #"{"seq":\#(number),"id":"left\#(number)","removed":["a"]}"#
            default: #"{"seq":\#(number),"id":"d\#(number)"}"#
            }
        }
        if isOfChannel { rows = call.target.contains("channels=b&") ? rows.filter { $0.contains("gone") } : [] }
        return json(#"{"results":[\#(rows.joined(separator: ","))],"last_seq":\#(last)}"#)
    }

    @Test("A device's losses are collected over several pages, each deleted document with a channel of the user's")
    func losses() async throws {
        try await FakeVerifier.run(Self.losing) { (server, url) async throws in
            guard case .told(let sight) = try await sight(url, holding: ["a", "b"]) else {
                Issue.record("there is no visibility")
                return
            }
            #expect(sight.losses.allSatisfy { loss in loss.number.map { loss.id.hasSuffix(String($0)) } ?? false })
            let losses = Dictionary(uniqueKeysWithValues: sight.losses.map { ($0.id, $0.channels) })
            #expect(
                losses == [
                    "gone500": ["b"], "gone1000": ["b"], "gone1500": ["b"], "left501": ["a"], "left1001": ["a"], "left1501": ["a"],
                ])
            // Two pages of the feed, and one response for each of the channels `!`, `a` and `b`.
            #expect(server.count("/shop/_changes") == 5)
        }
    }

    @Test(
        "Channels are requested only where deletions are not sent here anyway, and a user who sees everything here costs the session alone")
    func toldHere() async throws {
        try await FakeVerifier.run(Self.losing) { (server, url) async throws in
            let found = try await sight(url, holding: ["a", "b"], beside: .init(untold: { $0.losses.filter { $0.id == "left501" } }))
            #expect(
                found
                    == .told(
                        UpstreamVisibility(
                            channels: ["!", "a"], later: ["b": 9], losses: [.init(id: "left501", channels: ["a"], number: 501)])))
            #expect(server.count("/shop/_changes") == 2)
            #expect(try await sight(url, seesEverything: true) == .told(UpstreamVisibility(channels: ["!", "a"], later: ["b": 9])))
            #expect(server.count("/shop/_changes") == 2)
        }
    }

    /// A Sync Gateway whose feed for waldo has these rows.
    private static func feed(_ rows: [(number: Int64, row: String)]) -> @Sendable (FakeVerifier.Call) async -> Response {
        { call in
            guard call.path != "/shop/_session" else { return gateway(call) }
            let since = call.target.firstMatch(of: /since=(\d+)/).flatMap { Int64($0.1) } ?? 0
            return json(#"{"results":[\#(rows.filter { $0.number > since }.map(\.row).joined(separator: ","))]}"#)
        }
    }

    @Test(
        "A device that is ahead of the pull, or has losses that are not pulled yet, waits for the last such document, and for no other"
    )
    func ahead() async throws {
        let user = (number: Int64(7), row: #"{"seq":7,"id":"_user/waldo","changes":[]}"#)
        let kept = (number: Int64(4), row: #"{"seq":4,"id":"d4"}"#)
        let left = (number: Int64(9), row: #"{"seq":9,"id":"d9","removed":["a"]}"#)
        let changed = (number: Int64(11), row: #"{"seq":11,"id":"d11"}"#)
        for (rows, pulled, seesEverything, expected) in [
            ([kept, user], 3, false, 4), ([kept, user], 4, false, nil), ([kept, user], 3, true, 4), ([user, changed], 3, false, nil),
            ([kept, left, changed], 8, false, 9), ([kept, left, changed], 9, false, nil), ([kept, left], 3, true, 4),
        ] as [([(number: Int64, row: String)], Int64, Bool, Int64?)] {
            try await FakeVerifier.run(Self.feed(rows)) { (_, url) async throws in
                var awaited: [Int64] = []
                var pull = UpstreamCheckpoints.Pull()
                pull.pulled = { pulled }
                pull.wait = { number in
                    awaited.append(number)
                    return true
                }
                guard case .told = try await sight(url, at: "8", reached: 8, seesEverything: seesEverything, beside: pull) else {
                    Issue.record("there is no visibility")
                    return
                }
                #expect(awaited == [expected].compactMap { $0 }, "\(rows), \(pulled)")
            }
        }
    }

    @Test("A device that is a thousand rows ahead waits for its own position")
    func farAhead() async throws {
        let rows = (1...1_000).map { (number: Int64($0), row: #"{"seq":\#($0),"id":"d\#($0)"}"#) }
        try await FakeVerifier.run(Self.feed(rows)) { (_, url) async throws in
            var pull = UpstreamCheckpoints.Pull()
            pull.pulled = { 0 }
            pull.wait = { number in
                #expect(number == 2_000)
                return true
            }
            _ = try await sight(url, at: "2000", reached: 2_000, beside: pull)
        }
    }

    @Test("Devices that are ahead retry while the pull makes progress, and for ten minutes after that")
    func patience() async throws {
        try await FakeVerifier.run(Self.feed([(number: 5, row: #"{"seq":5,"id":"d5"}"#)])) { (_, url) async throws in
            let configuration = UpstreamConfiguration(database: try VerificationEndpoint(configured: "\(url)/shop", plainHTTP: .anywhere))
            let checkpoints = UpstreamCheckpoints(configuration, limits: patientLimits, clock: clock.clock)
            let place = UpstreamCheckpoints.Place(text: "5", reached: 5)
            let told = UpstreamVisibility(channels: ["!", "a"], later: ["b": 9])
            for (seconds, pulled, expected) in [
                (0, 1, .unavailable), (599, 1, .unavailable), (1, 2, .unavailable), (599, 2, .unavailable), (1, 2, .told(told)),
                (1, 5, .told(told)),
            ] as [(Int64, Int64, UpstreamCheckpoints.VisibilityAnswer)] {
                clock.advance(seconds)
                var pull = UpstreamCheckpoints.Pull()
                pull.pulled = { pulled }
                pull.wait = { _ in false }
                #expect(try await checkpoints.sight(of: nil, at: place, holding: [], with: nil, beside: pull).withoutTold == expected)
            }
            await checkpoints.close()
        }
    }

    @Test(
        "A device's losses are known up to the last row, or up to the complete part while the feed lags, and not from a part of it")
    func told() async throws {
        for (rows, expected) in [
            ([#"{"seq":6,"id":"a"}"#, #"{"seq":9,"id":"_user/waldo"}"#], UpstreamVisibility.Told(ids: ["a"], end: 9)),
            ([#"{"seq":"9:6","id":"a"}"#, #"{"seq":"7::12","id":"b"}"#], UpstreamVisibility.Told(ids: ["a", "b"], end: 7)),
            ((6..<1_006).map { #"{"seq":\#($0),"id":"d"}"# }, nil),
        ] as [([String], UpstreamVisibility.Told?)] {
            let answer = rows.joined(separator: ",")
            try await FakeVerifier.run({ call in
                call.path == "/shop/_session" ? Self.gateway(call) : json(#"{"results":[\#(answer)]}"#)
            }) { (_, url) async throws in
                let configuration = UpstreamConfiguration(
                    database: try VerificationEndpoint(configured: "\(url)/shop", plainHTTP: .anywhere))
                let checkpoints = UpstreamCheckpoints(configuration, limits: patientLimits, clock: clock.clock)
                let found = try await checkpoints.sight(of: nil, at: .init(text: "5", reached: 5), holding: [], with: nil)
                await checkpoints.close()
                guard case .told(let sight) = found else {
                    Issue.record("there is no visibility")
                    return
                }
                #expect(sight.told == expected)
            }
        }
    }
}
