import Testing

@testable import Cutover

@Suite("Gates of a cutover")
struct GateTests {
    private static let now: Int64 = 1_800_000_000_000

    private func measurements(_ change: (inout CutoverMeasurements) -> Void = { _ in }) -> CutoverMeasurements {
        var measurements = CutoverMeasurements(time: Self.now)
        measurements.parity = ParityResult(time: Self.now - 5_000, compared: 12)
        measurements.lag = .seconds(0)
        measurements.scope = .everything
        change(&measurements)
        return measurements
    }

    private func gate(
        _ kind: GateKind, _ limits: (inout GateLimits) -> Void = { _ in }, _ change: (inout CutoverMeasurements) -> Void
    ) -> Gate {
        var all = GateLimits()
        limits(&all)
        return Gate(kind, measurements(change), limits: all)
    }

    @Test("Parity passes if a recent comparison found no difference")
    func parity() {
        let passed = gate(.parity) { _ in }
        #expect(passed.isPassed && passed.measured == 0 && passed.limit == 0 && passed.age == 5)
        #expect(passed.message.contains("12 documents"))
        let none = gate(.parity) { $0.parity = nil }
        #expect(!none.isPassed && none.measured == nil && none.age == nil)
        let failed = gate(.parity) { $0.parity = ParityResult(time: Self.now, failure: "it is down") }
        #expect(!failed.isPassed && failed.measured == nil && failed.message.contains("it is down"))
        let differing = gate(.parity) {
            $0.parity = ParityResult(time: Self.now, compared: 3, differing: 2, kinds: ["winner": 1, "missing": 1], samples: ["a", "b"])
        }
        #expect(!differing.isPassed && differing.measured == 2)
        #expect(differing.message.contains("2 documents differ between both servers: 1 missing, 1 winner (a, b)"))
        let one = gate(.parity) { $0.parity = ParityResult(time: Self.now, compared: 3, differing: 1, kinds: ["extra": 1]) }
        #expect(one.message.contains("1 document differs") && one.message.contains("1 extra. Let the replication catch up;"))
        let straggler = gate(.parity) {
            $0.database = "shop"
            $0.isPulling = false
            $0.parity = ParityResult(time: Self.now, compared: 3, differing: 1, kinds: ["missing": 1])
        }
        #expect(straggler.message.contains("`dualgauge cutover reverse shop --to dual`"))
        for (age, isPassed) in [(GateLimits.parityLifetime, true), (GateLimits.parityLifetime + 1, false)] {
            let old = gate(.parity) { $0.parity = ParityResult(time: Self.now - age * 1_000, compared: 3) }
            #expect(old.isPassed == isPassed && old.age == age)
        }
        let skipped = gate(.parity) {
            $0.requiresParity = false
        } _: {
            $0.parity = nil
        }
        #expect(skipped.isPassed && skipped.message.contains("parity: skip"))
    }

    @Test("A login that does not see everything closes the gate, unless the configuration requires no more")
    func scope() {
        #expect(gate(.scope) { _ in }.isPassed)
        let chosen = gate(.scope) { $0.scope = .chosen(["a"]) }
        #expect(chosen.isPassed && chosen.message.contains("only the channel `a`"))
        let some = gate(.scope) { $0.scope = .channels(["!", "a", "b", "c", "d", "e"]) }
        #expect(!some.isPassed && some.measured == 1 && some.message.contains("`!`, `a`, `b`, `c`, `d` and 1 more"))
        #expect(gate(.scope) { $0.scope = .channels([]) }.message.contains("no channel"))
        let unknown = gate(.scope) { $0.scope = .unknown("it is down") }
        #expect(!unknown.isPassed && unknown.measured == nil && unknown.message.contains("it is down"))
    }

    @Test("A comparison is reused only if it is recent and found nothing")
    func freshness() {
        let now = Self.now
        #expect(ParityResult(time: now - 600_000).isFresh(at: now))
        #expect(!ParityResult(time: now - 601_000).isFresh(at: now))
        #expect(!ParityResult(time: now, differing: 1).isFresh(at: now))
        #expect(!ParityResult(time: now, failure: "x").isFresh(at: now))
        // A clock that was set back makes no comparison older than now.
        #expect(ParityResult(time: now + 9_000).age(at: now) == 0)
    }

    @Test("Lag passes up to its limit, and not if it is unknown", arguments: [(0, true), (60, true), (61, false)])
    func lag(seconds: Int64, isPassed: Bool) {
        let gate = gate(.lag) { $0.lag = .seconds(seconds) }
        #expect(gate.isPassed == isPassed && gate.measured == seconds && gate.limit == 60)
        let unknown = self.gate(.lag) { $0.lag = .unknown("it is offline") }
        #expect(!unknown.isPassed && unknown.measured == nil && unknown.message.contains("it is offline"))
    }

    @Test("Parked revisions pass up to their limit", arguments: [(0, 0, true), (1, 0, false), (2, 2, true), (3, 2, false)])
    func parked(count: Int, limit: Int, isPassed: Bool) {
        let gate = gate(.parked) {
            $0.maxParked = limit
        } _: {
            $0.parked = count
        }
        #expect(gate.isPassed == isPassed && gate.measured == Int64(count) && gate.limit == Int64(limit))
        #expect(gate.message.contains("retry") == !isPassed)
    }

    @Test("Truncated histories and old clients pass only if there are none", arguments: [0, 1, 2])
    func counts(count: Int) {
        let history = gate(.history) { $0.truncatedHistories = count }
        #expect(history.isPassed == (count == 0) && history.measured == Int64(count))
        let clients = gate(.oldClients) { $0.oldClients = count }
        #expect(clients.isPassed == (count == 0) && clients.measured == Int64(count) && clients.message.contains("30 days"))
        let short = gate(.oldClients) {
            $0.oldClientsQuietFor = 90
        } _: {
            $0.oldClients = count
        }
        #expect(short.message.contains("90 s"))
    }

    @Test("Every kind has a name, a unit and a description", arguments: GateKind.allCases)
    func kinds(kind: GateKind) {
        #expect(!kind.unit.isEmpty)
        #expect(Gate(kind, measurements(), limits: GateLimits()).isPassed)
        #expect(Gate(kind, measurements(), limits: GateLimits()).message.hasSuffix("."))
    }

    @Test("The status follows the gates of both steps", arguments: CutoverStage.allCases)
    func status(stage: CutoverStage) {
        let good = CutoverStatus(stage: stage, measurements: measurements(), limits: GateLimits())
        #expect(good.canAdvance == (stage != .sunset))
        #expect(good.canReverse == (stage != .shadow))
        let bad = measurements {
            $0.parity = nil
            $0.scope = .channels(["a"])
            $0.lag = .unknown("stopped")
            $0.parked = 1
            $0.truncatedHistories = 1
            $0.oldClients = 1
        }
        let status = CutoverStatus(stage: stage, measurements: bad, limits: GateLimits())
        #expect(!status.canAdvance)
        // These steps lose nothing in any state.
        #expect(status.canReverse == [.switched, .sunset].contains(stage))
        #expect(Set(status.gates.map(\.kind)).count == status.gates.count)
        #expect(status.gates.allSatisfy { !$0.isPassed })
        let kinds = CutoverAction.allCases.compactMap { CutoverStep($0, from: stage)?.gates }.joined()
        #expect(Set(status.gates.map(\.kind)) == Set(kinds))
    }

    @Test("A recommendation is a command with the database's name")
    func commands() {
        let parked = gate(.parked) { ($0.database, $0.parked) = ("shop", 1) }
        #expect(parked.message.contains("`dualgauge parked list shop`") && !parked.message.contains("GET "))
        let old = gate(.oldClients) { ($0.database, $0.oldClients) = ("shop", 2) }
        #expect(old.message.contains("`dualgauge fleet shop --generation 1`"))
    }
}
