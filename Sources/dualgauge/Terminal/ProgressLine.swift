import Coordination
import Foundation
import Migration

/// Progress on standard error: on a terminal a single line that is overwritten, otherwise a new line every few seconds.
final class ProgressLine: Sendable {
    private struct State {
        var lastShown: ContinuousClock.Instant?
        var activity: String?
        var isDrawn = false

        /// The current phase and its start: the pace is computed for each phase.
        var phase: MigrationProgress.Phase?
        var start: ContinuousClock.Instant

        /// The last reported reason for a delay.
        var holdUp: String?
    }

    private static let barWidth = 24

    private let label: String
    private let isQuiet: Bool
    private let isTerminal = isatty(2) == 1
    private let state: Lock<State>

    init(_ label: String, isQuiet: Bool) {
        self.label = label
        self.isQuiet = isQuiet
        state = Lock(State(start: .now))
    }

    func show(_ progress: MigrationProgress) {
        show(progress, bytes: 0)
    }

    /// - Parameter bytes: The transferred bytes; 0 if unknown.
    func show(_ progress: MigrationProgress, bytes: Int) {
        let now = ContinuousClock.now
        let start = state.withLock { state in
            if state.phase != nil, state.phase != progress.phase { state.start = now }
            state.phase = progress.phase
            return state.start
        }
        // A log gets no line before there is progress.
        guard !isQuiet, isTerminal || progress.done > 0 || progress.holdUp != nil else { return }
        let interval: Duration = isTerminal ? .milliseconds(100) : .seconds(5)
        let isDue = state.withLock { state in
            // A new activity is shown at once on a terminal, where it costs no extra line; a new reason for a delay is always shown at once.
            let isNews = isTerminal && progress.activity != state.activity || progress.holdUp != nil && progress.holdUp != state.holdUp
            if let last = state.lastShown, now - last < interval, !isNews { return false }
            state.holdUp = progress.holdUp ?? state.holdUp
            state.lastShown = now
            state.activity = progress.activity
            state.isDrawn = true
            return true
        }
        guard isDue else { return }
        write(Self.text(progress, bytes: bytes, elapsed: now - start, label: label, hasBar: isTerminal), end: isTerminal ? "" : "\n")
    }

    /// Prints a message on its own line.
    func showMessage(_ text: String) {
        guard !isQuiet else { return }
        write(text, end: "\n")
    }

    /// Ends the progress line, so that further output starts on its own line.
    func finish() {
        if !isQuiet, isTerminal, state.withLock({ $0.isDrawn }) { write("", end: "\r") }
    }

    /// - Parameter elapsed: The duration of the current phase.
    static func text(_ progress: MigrationProgress, bytes: Int, elapsed: Duration, label: String, hasBar: Bool) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        let label = progress.activity ?? label
        let holdUp = progress.holdUp.map { ", held up: \($0)" } ?? ""
        let isBytes = progress.unit == .bytes
        func amount(_ count: Int) -> String { isBytes ? size(Double(count)) : "\(count)" }
        func rate(_ count: Int) -> Double { seconds > 0 ? Double(count) / seconds : 0 }
        // Documents of an earlier process do not count for the pace.
        let pace = rate(max(0, progress.done - progress.earlier))
        let speed =
            (isBytes ? "\(size(pace))/s" : "\(Int(pace))/s") + (bytes > 0 ? ", \(size(Double(bytes))), \(size(rate(bytes)))/s" : "")
        guard let total = progress.total, total > 0 else {
            return "\(label) \(amount(progress.done))\(isBytes ? "" : " documents"), \(speed)\(holdUp)"
        }
        let share = min(1, Double(progress.done) / Double(total))
        // Below one percent the estimate is unreliable.
        let rest = Double(max(0, total - progress.done)) / max(pace, 1e-9)
        let left = share >= 0.01 && (1..<total).contains(progress.done) && pace > 0 ? ", ETA \(Int(min(rest, 1e9))) s" : ""
        let counted = "\(amount(progress.done))/\(amount(total)) \(Int(share * 100)) %"
        return "\(label) \(hasBar ? bar(share) : "")\(counted), \(speed)\(left)\(holdUp)"
    }

    private static func bar(_ share: Double) -> String {
        let filled = Int(share * Double(barWidth))
        return "[" + String(repeating: "=", count: filled) + String(repeating: " ", count: barWidth - filled) + "] "
    }

    /// Formats bytes with a suitable unit.
    static func size(_ bytes: Double) -> String {
        var (value, unit) = (bytes, 0)
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
        return unit == 0 ? "\(Int(value)) B" : "\((value * 10).rounded() / 10) \(units[unit])"
    }

    private func write(_ text: String, end: String) {
        let line = isTerminal ? "\r\u{1b}[2K\(text)\(end)" : text + end
        StandardStream.errors.write(line)
    }
}
