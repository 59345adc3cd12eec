import Coordination
import CoreMetrics
import Cutover
import Documents
import Gateway
import Storage
import Telemetry

/// The results of comparing reads.
final class ComparedReads: Sendable {
    /// The number of the latest differences that are shown.
    private static let examples = 20

    /// Why a sampled read was not compared.
    enum Skip: String, CaseIterable {
        /// The user has no account here yet.
        case unknownUser
        /// A body is longer than the limit, or memory is short.
        case tooLarge
        /// Too many reads are being compared.
        case busy
        /// The response has a form that is not compared.
        case otherForm
    }

    private struct Example {
        let time: Int64
        let user: String
        let path: String
        let difference: ReadDifference
    }

    private struct State {
        var equal = 0
        var different = 0
        var skipped: [Skip: Int] = [:]
        var kinds: [ReadDifference.Kind: Int] = [:]
        var examples: [Example] = []
    }

    private let state = Lock(State())
    private let metrics: MetricsRegistry

    init(_ metrics: MetricsRegistry) {
        self.metrics = metrics
    }

    func recordSkip(_ skip: Skip) {
        state.withLock { $0.skipped[skip, default: 0] += 1 }
        count("skipped")
    }

    func record(_ differences: [ReadDifference], user: String, path: String) {
        let now = Timestamp.now
        state.withLock { state in
            if differences.isEmpty { state.equal += 1 } else { state.different += 1 }
            for difference in differences { state.kinds[difference.kind, default: 0] += 1 }
            state.examples += differences.prefix(Self.examples).map { Example(time: now, user: user, path: path, difference: $0) }
            state.examples.removeFirst(max(0, state.examples.count - Self.examples))
        }
        count(differences.isEmpty ? "equal" : "different")
        for difference in differences { metrics.counter(.readDifferences, [("kind", difference.kind.rawValue)]).increment() }
    }

    private func count(_ result: String) {
        metrics.counter(.comparedReads, [("result", result)]).increment()
    }

    var json: JSONValue {
        func number(_ number: Int) -> JSONValue { .number(String(number)) }
        let state = state.withLock { $0 }
        let examples = state.examples.reversed().map { example in
            JSONValue.object([
                JSONMember("time", .string(Timestamp.rfc3339(milliseconds: example.time))), JSONMember("user", .string(example.user)),
                JSONMember("path", .string(example.path)), JSONMember("kind", .string(example.difference.kind.rawValue)),
                JSONMember("id", .string(example.difference.id)), JSONMember("detail", .string(example.difference.detail)),
            ])
        }
        return .object([
            JSONMember("equal", number(state.equal)), JSONMember("different", number(state.different)),
            JSONMember("skipped", .object(Skip.allCases.map { JSONMember($0.rawValue, number(state.skipped[$0] ?? 0)) })),
            JSONMember(
                "differences", .object(ReadDifference.Kind.allCases.map { JSONMember($0.rawValue, number(state.kinds[$0] ?? 0)) })),
            JSONMember("examples", .array(Array(examples))),
        ])
    }
}
