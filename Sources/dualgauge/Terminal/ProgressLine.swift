import Foundation
import Migration
import Synchronization

/// Progress on standard error: one line that is drawn over on a terminal, a plain line every few seconds otherwise.
final class ProgressLine: Sendable {
    private struct State {
        var lastShown: ContinuousClock.Instant?
        var isDrawn = false
    }

    private static let barWidth = 24

    private let label: String
    private let isQuiet: Bool
    private let isTerminal = isatty(2) == 1
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(_ label: String, isQuiet: Bool) {
        self.label = label
        self.isQuiet = isQuiet
    }

    func show(_ progress: MigrationProgress) {
        guard !isQuiet else { return }
        let now = ContinuousClock.now
        let interval: Duration = isTerminal ? .milliseconds(100) : .seconds(5)
        let isDue = state.withLock { state in
            if let last = state.lastShown, now - last < interval { return false }
            state.lastShown = now
            state.isDrawn = true
            return true
        }
        guard isDue else { return }
        write(text(progress, elapsed: now - start), end: isTerminal ? "" : "\n")
    }

    /// Says something on a line of its own.
    func note(_ text: String) {
        guard !isQuiet else { return }
        write(text, end: "\n")
    }

    /// Leaves the line, so that what follows begins on its own.
    func finish() {
        if !isQuiet, isTerminal, state.withLock({ $0.isDrawn }) { write("", end: "\r") }
    }

    private func text(_ progress: MigrationProgress, elapsed: Duration) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        let rate = seconds > 0 ? Double(progress.done) / seconds : 0
        let label = progress.activity ?? label
        let holdUp = progress.holdUp.map { ", held up: \($0)" } ?? ""
        guard let total = progress.total, total > 0 else { return "\(label) \(progress.done) documents, \(Int(rate))/s\(holdUp)" }
        let share = min(1, Double(progress.done) / Double(total))
        // Before a hundredth is done the estimate would be a guess.
        let left = share >= 0.01 && rate > 0 ? ", ETA \(Int(Double(max(0, total - progress.done)) / rate)) s" : ""
        return "\(label) \(bar(share))\(progress.done)/\(total) \(Int(share * 100)) %, \(Int(rate))/s\(left)\(holdUp)"
    }

    private func bar(_ share: Double) -> String {
        guard isTerminal else { return "" }
        let filled = Int(share * Double(Self.barWidth))
        return "[" + String(repeating: "=", count: filled) + String(repeating: " ", count: Self.barWidth - filled) + "] "
    }

    private func write(_ text: String, end: String) {
        let line = isTerminal ? "\r\u{1b}[2K\(text)\(end)" : text + end
        FileHandle.standardError.write(Data(line.utf8))
    }
}
