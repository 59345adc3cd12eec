import ArgumentParser
import Server

/// How a replication has ended.
struct ReplicateEnd {
    let isContinuous: Bool
    let output: OutputOptions
    var state = ReplicationState()
    var wasInterrupted = false
    private var pushed = 0
    private var pulled = 0
    private var failed = 0
    private var examples: [ReplicationOutcome] = []

    init(isContinuous: Bool, output: OutputOptions) {
        self.isContinuous = isContinuous
        self.output = output
    }

    mutating func count(_ outcome: ReplicationOutcome) {
        switch (outcome.failure, outcome.isPush) {
        case (nil, true): pushed += 1
        case (nil, false): pulled += 1
        case (_?, _):
            failed += 1
            if examples.count < 10 { examples.append(outcome) }
        }
    }

    /// Prints the result.
    ///
    /// - Throws: What becomes the exit code, unless all is done.
    func exit() throws {
        // A continuous replication has no other end than Ctrl-C.
        let isCutShort = wasInterrupted && !isContinuous
        if output.json {
            ReplicateEvent.end(pushed: pushed, pulled: pulled, failed: failed, isInterrupted: isCutShort, failure: state.failure).print()
        } else if !output.quiet, state.failure == nil || pushed + pulled + failed > 0 {
            let size = state.bytes > 0 ? ", \(ProgressLine.size(Double(state.bytes)))" : ""
            print("Pushed \(pushed) and pulled \(pulled) documents\(size)\(failed > 0 ? "; \(failed) failed:" : ".")")
            for outcome in examples {
                print("  \(outcome.isPush ? "push" : "pull") \(outcome.collection) \(outcome.id): \(outcome.failure?.message ?? "")")
            }
            if failed > examples.count { print("  and \(failed - examples.count) more") }
        }
        if let failure = state.failure, !wasInterrupted { throw failure }
        if isCutShort { throw CancellationError() }
        if failed > 0 { throw ExitCode(Failure.Code.partial.rawValue) }
    }
}
