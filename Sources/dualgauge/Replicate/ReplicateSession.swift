import ArgumentParser
import BridgeConfiguration
import Foundation
import Migration
import ReplicationService
import Server

/// Runs a replication until it ends, and prints its progress.
struct ReplicateSession {
    private let replication: any BridgeReplicator
    private let definition: ReplicationDefinition
    private let resets: Bool
    private let interruption: Interruption
    private let output: OutputOptions

    init(
        _ replication: any BridgeReplicator, _ definition: ReplicationDefinition, resets: Bool, _ interruption: Interruption,
        _ output: OutputOptions
    ) {
        self.interruption = interruption
        self.replication = replication
        self.definition = definition
        self.resets = resets
        self.output = output
    }

    func run() async -> ReplicateResult {
        let reports = await replication.reports()
        await replication.start(reset: resets)
        // The replication is running, so that an interruption has to stop it.
        let line = ProgressLine("replicating", isQuiet: output.quiet || output.json)
        await interruption.onInterruption { [replication] in
            line.showMessage("stopping: the present transfers are finished; another Ctrl-C ends at once")
            await replication.stop()
        }
        var end = ReplicateResult(isContinuous: definition.continuous, output: output)
        var hasBegun = false
        var isRead = true
        func emit(_ event: ReplicateEvent) async {
            guard output.json, isRead, !event.print() else { return }
            // Standard output has no reader: stop as after Ctrl-C.
            isRead = false
            await replication.stop()
        }
        for await report in reports {
            switch report {
            case .documents(let outcomes):
                for outcome in outcomes {
                    end.count(outcome)
                    await emit(.document(outcome))
                }
            case .state(let state):
                hasBegun = hasBegun || state.activity != .stopped
                // A `stopped` state before the start is not the end of the replication.
                guard hasBegun || state.failure != nil else { continue }
                await emit(.state(state))
                line.show(Self.progress(state), bytes: state.bytes)
                end.state = state
                if state.activity == .offline, let failure = state.failure { line.showMessage("offline, will try again: \(failure)") }
                guard state.activity == .stopped else { continue }
                line.finish()
                end.wasInterrupted = interruption.isBegun || !isRead
                return end
            }
        }
        return end
    }

    private static func progress(_ state: ReplicationState) -> MigrationProgress {
        let activity: String? =
            switch state.activity {
            case .connecting: "connecting"
            case .idle: "up to date, waiting for changes"
            case .stopped, .offline, .busy: nil
            }
        return MigrationProgress(done: state.completed, total: state.total, activity: activity)
    }
}

/// The result of a replication.
struct ReplicateResult {
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
    /// - Throws: The error that determines the exit code, if the replication is incomplete.
    func exit() throws {
        // Ctrl-C is the normal end of a continuous replication.
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
