import Access
import Coordination
import Documents
import HTTPTypes
import HummingbirdCore
import Testing

@testable import Authentication

@Suite("Requests to the old server for many devices at once")
struct UpstreamQuestionTests {
    private let clock = SecondClock()

    /// The visibility for devices of some users, each at a position of its own.
    private func come(
        _ devices: Range<Int>, of users: Int, to url: String, with checkpoints: UpstreamCheckpoints
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in devices {
                group.addTask {
                    let user = "u\(device % users)"
                    let answer = try await checkpoints.sight(
                        of: user, at: .init(text: String(5 + device), reached: Int64(5 + device)), holding: ["a", "s"],
                        with: .basic(user: user, password: Secret("CANARY")))
                    #expect(answer.withoutTold == .told(UpstreamVisibility(channels: ["a", "s"])))
                }
            }
            try await group.waitForAll()
        }
    }

    private func withCheckpoints(_ url: String, _ body: (UpstreamCheckpoints) async throws -> Void) async throws {
        let configuration = UpstreamConfiguration(database: try VerificationEndpoint(configured: "\(url)/shop", plainHTTP: .anywhere))
        let checkpoints = UpstreamCheckpoints(configuration, limits: patientLimits, clock: clock.clock)
        try await body(checkpoints)
        await checkpoints.close()
    }

    @Sendable private static func gateway(_ call: FakeVerifier.Call) -> Response {
        if call.path == "/shop/_session" {
            let login = call.headers[.authorization] ?? ""
            let user = (0..<10).first { login == "Basic \(Base64.encode(Array("u\($0):CANARY".utf8)))" }.map { "u\($0)" } ?? "?"
            return json(#"{"ok":true,"userCtx":{"channels":{"a":1},"name":"\#(user)"}}"#)
        }
        return json(call.target.contains("bychannel") ? #"{"results":[{"seq":3,"id":"s3"}]}"# : #"{"results":[]}"#)
    }

    @Test("Data that all devices of a user share is requested once a minute, and the rest once per position")
    func remembered() async throws {
        try await FakeVerifier.run(Self.gateway) { (server, url) async throws in
            try await withCheckpoints(url) { (checkpoints) async throws in
                // One after the other, because concurrent requests are shared anyway.
                for device in 0..<20 { try await come(device..<device + 1, of: 4, to: url, with: checkpoints) }
                #expect(server.count("/shop/_session") == 4)
                #expect(server.calls.count { $0.target.contains("bychannel") } == 4)
                #expect(server.count("/shop/_changes") == 24)
                clock.advance(61)
                try await come(20..<21, of: 4, to: url, with: checkpoints)
                #expect(server.count("/shop/_session") == 5)
            }
        }
    }

    @Test("Failed responses are not cached")
    func failures() async throws {
        let isDown = Lock(true)
        try await FakeVerifier.run({ call in isDown.withLock { $0 } ? json("{}", 503) : Self.gateway(call) }) {
            (server, url) async throws in
            try await withCheckpoints(url) { (checkpoints) async throws in
                let place = UpstreamCheckpoints.Place(text: "5", reached: 5)
                let login = UpstreamLogin.Credentials.basic(user: "u1", password: Secret("CANARY"))
                #expect(try await checkpoints.sight(of: "u1", at: place, holding: [], with: login) == .unavailable)
                isDown.withLock { $0 = false }
                #expect(
                    try await checkpoints.sight(of: "u1", at: place, holding: [], with: login).withoutTold
                        == .told(UpstreamVisibility(channels: ["a"])))
            }
        }
    }

    @Test("With any number of devices, eight requests run at once, and none is refused")
    func bounded() async throws {
        let (devices, most) = (600, 8)
        let busy = Lock((now: 0, most: 0))
        let gate = Gate(opensAt: most)
        try await FakeVerifier.run({ call in
            busy.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            // The first eight wait for each other, so that all that may run concurrently do.
            await gate.wait()
            busy.withLock { $0.now -= 1 }
            return Self.gateway(call)
        }) { (_, url) async throws in
            try await withCheckpoints(url) { try await come(0..<devices, of: 10, to: url, with: $0) }
        }
        #expect(busy.withLock { $0.most } == most)
    }
}

/// Opens for all when the given number has arrived.
private actor Gate {
    private let count: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var come = 0

    init(opensAt count: Int) {
        self.count = count
    }

    func wait() async {
        come += 1
        guard come < count else {
            for each in waiting { each.resume() }
            waiting = []
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }
}

extension UpstreamCheckpoints.VisibilityAnswer {
    /// The same without the device's own losses and without the user's present channels, to compare the rest alone.
    var withoutTold: UpstreamCheckpoints.VisibilityAnswer {
        guard case .told(var sight) = self else { return self }
        sight.told = nil
        sight.own = nil
        return .told(sight)
    }
}
