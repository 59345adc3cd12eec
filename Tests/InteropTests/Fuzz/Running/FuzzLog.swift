import Coordination

/// The log of a bridge: the last lines, and lines that no request may cause.
final class FuzzLog: Sendable {
    private struct State {
        var lines: [String] = []
        var faults: [String] = []

        /// The number of further lines of the last fault: its location.
        var isOfFault = 0
        var isListening: CheckedContinuation<String?, Never>?
        var place: String?
        var isOver = false
    }

    private static let kept = 60
    private static let ofTrace = 60
    private static let ofFaults = ["Fatal error", "Swift runtime failure", "Program crashed", "is started again"]
    private let state = Lock(State())

    init(_ texts: AsyncStream<String>) {
        Task {
            var rest = ""
            for await text in texts {
                rest += text
                var lines = rest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                rest = lines.popLast() ?? ""
                for line in lines { record(line) }
            }
            record(rest)
            finish()
        }
    }

    private func record(_ line: String) {
        let waiting = state.withLock { state -> CheckedContinuation<String?, Never>? in
            state.lines.append(String(line.prefix(500)))
            if state.lines.count > Self.kept { state.lines.removeFirst() }
            if Self.ofFaults.contains(where: { line.contains($0) }), state.isOfFault == 0, state.faults.count < 10 {
                state.faults.append(String(line.prefix(500)))
                state.isOfFault = Self.ofTrace
            } else if state.isOfFault > 0, let last = state.faults.indices.last {
                state.faults[last] += "\n" + line.prefix(500)
                state.isOfFault -= 1
            }
            guard line.contains("public=127.0.0.1:"), state.place == nil else { return nil }
            state.place = line
            defer { state.isListening = nil }
            return state.isListening
        }
        waiting?.resume(returning: line)
    }

    private func finish() {
        let waiting = state.withLock { state -> CheckedContinuation<String?, Never>? in
            state.isOver = true
            defer { state.isListening = nil }
            return state.isListening
        }
        waiting?.resume(returning: nil)
    }

    /// The line with the addresses; `nil` if the process ends before.
    func listening() async -> String? {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> String?? in
                if let place = state.place { return .some(place) }
                if state.isOver { return .some(nil) }
                state.isListening = continuation
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Its last lines.
    var end: String { state.withLock { $0.lines.joined(separator: "\n") } }
    var faults: [String] { state.withLock { $0.faults } }
}
