import Coordination
import CoreMetrics
import Cutover
import Documents
import Gateway
import Storage
import Telemetry

/// The figures of a database's devices by side: for the last hour in memory, and as metrics.
final class DeviceFigures: Sendable {
    /// The length of a step of ``series(of:)``, in seconds.
    private static let step: Int64 = 60

    private struct State {
        var windows: [DeviceSide: GroupWindow] = [:]
        var sightings = DeviceSightings()
    }

    private let state = Lock(State())
    private let start = ContinuousClock.now
    private let metrics: MetricsRegistry
    private let latency: [DeviceSide: CoreMetrics.Timer]

    init(_ metrics: MetricsRegistry) {
        self.metrics = metrics
        latency = DeviceSide.allCases.reduce(into: [:]) { $0[$1] = metrics.timer(.deviceRequestTime, Self.labels($1)) }
    }

    /// Seconds since the begin of the figures.
    var now: Int64 { (ContinuousClock.now - start).components.seconds }

    /// Records a request whose response begins.
    ///
    /// - Parameter seconds: The time until then; `nil` for a feed or a WebSocket, whose response may wait for changes.
    func recordResponse(on side: DeviceSide, status: Int, after seconds: Double?) {
        let error = ExchangeError(status: status)
        record(side) { figures in
            figures.requests += 1
            if let error { figures.errors[error, default: 0] += 1 }
            if let seconds { figures.latency.add(seconds: seconds) }
        }
        metrics.counter(.deviceRequests, Self.labels(side) + [("outcome", error?.rawValue ?? "ok")]).increment()
        if let seconds { latency[side]?.recordNanoseconds(Int64(min(max(seconds, 0), 1e9) * 1e9)) }
    }

    /// Records documents that a device has written or read.
    func recordDocuments(on side: DeviceSide, received: Int = 0, refused: Int = 0, conflicts: Int = 0, sent: Int = 0) {
        guard received + refused + conflicts + sent > 0 else { return }
        record(side) { figures in
            figures.received += received
            figures.refused += refused
            figures.conflicts += conflicts
            figures.sent += sent
        }
        for (outcome, count) in [("received", received), ("refused", refused), ("conflict", conflicts), ("sent", sent)] where count > 0 {
            metrics.counter(.deviceDocuments, Self.labels(side) + [("outcome", outcome)]).increment(by: Int64(count))
        }
    }

    /// Records the sender of a request; see ``DeviceSightings``.
    func recordSender(_ device: Int, user: Int?, on side: DeviceSide, from position: Bool?) {
        let now = now
        let isRescan = state.withLock { $0.sightings.record(device, user: user, on: side, from: position, at: now) }
        if isRescan { recordRescan(on: side) }
    }

    /// Records a feed that a device reads anew although it had a position.
    func recordRescan(on side: DeviceSide) {
        record(side) { $0.rescans += 1 }
        metrics.counter(.deviceRescans, Self.labels(side)).increment()
    }

    private func record(_ side: DeviceSide, _ change: (inout GroupFigures) -> Void) {
        let now = now
        state.withLock { $0.windows[side, default: GroupWindow()].record(at: now, change) }
    }

    /// Separates what comes from now on from what was before.
    func split() {
        state.withLock { state in
            for side in DeviceSide.allCases { state.windows[side]?.split() }
        }
    }

    /// The figures of a side since a time.
    func figures(of side: DeviceSide, since time: Int64) -> GroupFigures {
        state.withLock { $0.windows[side]?.figures(from: time) ?? GroupFigures() }
    }

    /// The number of users and devices of each side within the last hour.
    var counts: [DeviceSide: (users: Int, devices: Int)] {
        let now = now
        return state.withLock { $0.sightings }.counts(at: now)
    }

    private static func labels(_ side: DeviceSide) -> MetricsRegistry.Labels { [("side", side.rawValue)] }
}

/// The figures as JSON.
extension DeviceFigures {
    var json: JSONValue {
        let (now, counts) = (now, counts)
        let windows = state.withLock { $0.windows }
        let sides = DeviceSide.allCases.map { side in
            let figures = windows[side]?.figures(from: now - GroupWindow.span) ?? GroupFigures()
            let members = [
                JSONMember("users", Self.number(counts[side]?.users ?? 0)), JSONMember("devices", Self.number(counts[side]?.devices ?? 0)),
            ]
            return JSONMember(side.rawValue, .object(members + Self.members(figures)))
        }
        return .object(
            [JSONMember("seconds", Self.number(Int(min(now, GroupWindow.span))))] + sides
                + [JSONMember("series", series(of: windows, until: now))])
    }

    /// The requests and failures of each minute in which there were any, the oldest first.
    private func series(of windows: [DeviceSide: GroupWindow], until now: Int64) -> JSONValue {
        let clock = Timestamp.now
        let minutes = stride(from: max(0, now - GroupWindow.span) / Self.step, through: now / Self.step, by: 1)
        return .array(
            minutes.compactMap { minute in
                let sides = DeviceSide.allCases.compactMap { side -> JSONMember? in
                    let figures = windows[side]?.figures(from: minute * Self.step, to: (minute + 1) * Self.step) ?? GroupFigures()
                    guard figures != GroupFigures() else { return nil }
                    return JSONMember(side.rawValue, .object(Self.members(figures)))
                }
                guard !sides.isEmpty else { return nil }
                let time = Timestamp.rfc3339(milliseconds: clock - (now - minute * Self.step) * 1_000)
                return .object([JSONMember("time", .string(time))] + sides)
            })
    }

    private static func members(_ figures: GroupFigures) -> [JSONMember] {
        let errors = ExchangeError.allCases.map { JSONMember($0.rawValue, number(figures.errors[$0] ?? 0)) }
        func milliseconds(_ share: Double) -> JSONValue {
            figures.latency.quantile(share).map { .number("\(($0 * 10_000).rounded() / 10)") } ?? .null
        }
        return [
            JSONMember("requests", number(figures.requests)), JSONMember("errors", .object(errors)),
            JSONMember("p50", milliseconds(0.5)), JSONMember("p99", milliseconds(0.99)),
            JSONMember("received", number(figures.received)), JSONMember("refused", number(figures.refused)),
            JSONMember("conflicts", number(figures.conflicts)), JSONMember("sent", number(figures.sent)),
            JSONMember("rescans", number(figures.rescans)),
        ]
    }

    private static func number(_ number: Int) -> JSONValue { .number(String(number)) }
}
