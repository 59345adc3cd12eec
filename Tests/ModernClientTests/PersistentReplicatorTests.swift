import Testing

@testable import ModernClient

@Suite("A replicator that continues after refusals")
struct PersistentReplicatorTests {
    private func lifecycle(isContinuous: Bool = true, maxAttempts: Int = 0) -> ReplicatorLifecycle {
        var configuration = ReplicatorConfiguration(target: URLEndpoint(url: "ws://h/db"))
        configuration.continuous = isContinuous
        configuration.goesOnAfterRefusals = true
        configuration.maxAttempts = maxAttempts
        var lifecycle = ReplicatorLifecycle(
            isContinuous: configuration.continuous, isPersistent: configuration.isPersistent, backoff: configuration.backoff)
        #expect(lifecycle.start() == [.connect(reset: false)])
        return lifecycle
    }

    @Test(
        "It retries after any error of the server, with delays of at most a minute",
        arguments: [10_400, 10_401, 10_403, 10_404, 10_405, 10_410, 10_413, 7, 26, 5_005, 5_009, 5_012, 11_002, 14_002])
    func refusals(code: Int) {
        var lifecycle = lifecycle()
        for seconds in [2, 4, 8, 16, 32, 60, 60] {
            #expect(lifecycle.closed(ReplicatorError(.init(rawValue: code), "x")) == [.wait(.seconds(seconds))])
            #expect(lifecycle.state == .offline && lifecycle.error != nil)
            #expect(lifecycle.waited() == [.connect(reset: false)])
            // A connection alone does not reset the count.
            lifecycle.connected()
        }
        lifecycle.transfers(false)
        #expect(lifecycle.state == .idle)
        #expect(lifecycle.closed(ReplicatorError(.init(rawValue: code), "x")) == [.wait(.seconds(2))])
    }

    @Test("It stops because of a wrong local setting, used up attempts, or if it is not continuous")
    func ends() {
        for code in [ReplicatorError.Code.invalidURL, .invalidParameter, .crypto] {
            var lifecycle = lifecycle()
            #expect(lifecycle.closed(ReplicatorError(code, "x")).isEmpty && lifecycle.state == .stopped)
        }
        var counted = lifecycle(maxAttempts: 2)
        #expect(counted.closed(ReplicatorError(.http(403), "x")).count == 1)
        #expect(counted.waited() == [.connect(reset: false)])
        #expect(counted.closed(ReplicatorError(.http(403), "x")).isEmpty && counted.state == .stopped)
        var oneShot = lifecycle(isContinuous: false)
        #expect(oneShot.closed(ReplicatorError(.http(401), "x")).isEmpty && oneShot.state == .stopped)
    }
}
