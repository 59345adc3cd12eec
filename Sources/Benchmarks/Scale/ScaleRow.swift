import Foundation

/// A line of the table: one operation at two sizes.
struct ScaleRow {
    /// How much more an operation may cost at the larger size, for the same answer.
    private static let bound = 1.5

    /// Operations below this many microseconds are not judged by the clock, whose ticks are too long for them.
    private static let least = 200.0

    static let heading =
        column("operation", 62)
        + ["small us", "large us", "ratio", "steps", "steps", "ratio", "answer", "> 50 ms"].map { column($0, 9, isRight: true) }.joined()
        + "   GET, PUT beside it: 99 % below, longest"

    let name: String
    let small: ScaleCost
    let large: ScaleCost
    let waits: [ConcurrentClient.Waits]

    /// Resident memory afterwards, in KiB.
    let memory: Int

    private var answerRatio: Double { max(1, large.answer / max(small.answer, 1)) }
    private var stepRatio: Double { large.steps / max(small.steps, 1) }
    private var timeRatio: Double { large.processor / max(small.processor, 1) }

    /// Whether it grows with the wrong thing.
    var hasGrown: Bool {
        stepRatio > Self.bound * answerRatio || large.processor >= Self.least && timeRatio > Self.bound * answerRatio
    }

    /// Whether it has held a connection of the store for too long: others wait for it.
    var hasHeld: Bool { small.longReads + large.longReads > 0 }

    var text: String {
        let numbers = [
            String(format: "%.0f", small.processor), String(format: "%.0f", large.processor), String(format: "%.2f", timeRatio),
            String(format: "%.0f", small.steps), String(format: "%.0f", large.steps), String(format: "%.2f", stepRatio),
            String(format: "%.2f", answerRatio), String(small.longReads + large.longReads),
        ]
        let waits = waits.map { String(format: "%.0f, %.0f ms", $0.most, $0.longest) }.joined(separator: "; ")
        return Self.column(name, 62) + numbers.map { Self.column($0, 9, isRight: true) }.joined() + "   \(waits)   \(memory / 1024) MB"
            + (hasGrown ? "   <-" : "") + (hasHeld ? "   <- held" : "")
    }

    private static func column(_ text: String, _ width: Int, isRight: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return isRight ? space + text : text + space
    }
}
