import Foundation
import Migration
import Server

/// Runs a replication to its end, and shows how it gets on.
struct ReplicateSession {
    private let replication: any Replication
    private let definition: ReplicationDefinition
    private let resets: Bool
    private let interruption: Interruption
    private let output: OutputOptions

    init(
        _ replication: any Replication, _ definition: ReplicationDefinition, resets: Bool, _ interruption: Interruption,
        _ output: OutputOptions
    ) {
        self.interruption = interruption
        self.replication = replication
        self.definition = definition
        self.resets = resets
        self.output = output
    }

    func run() async -> ReplicateEnd {
        let reports = await replication.reports()
        await replication.start(reset: resets)
        // From here on there is something to stop.
        let line = ProgressLine("replicating", isQuiet: output.quiet || output.json)
        await interruption.whenBegun { [replication] in
            line.note("stopping: what is under way is finished; Ctrl-C once more ends at once")
            await replication.stop()
        }
        var end = ReplicateEnd(isContinuous: definition.continuous, output: output)
        var hasBegun = false
        var isRead = true
        func tell(_ event: ReplicateEvent) async {
            guard output.json, isRead, !event.print() else { return }
            // Nobody reads on: it ends as by Ctrl-C.
            isRead = false
            await replication.stop()
        }
        for await report in reports {
            switch report {
            case .documents(let outcomes):
                for outcome in outcomes {
                    end.count(outcome)
                    await tell(.document(outcome))
                }
            case .state(let state):
                hasBegun = hasBegun || state.activity != .stopped
                // What a replication says of itself before it has started is not its end.
                guard hasBegun || state.failure != nil else { continue }
                await tell(.state(state))
                line.show(Self.progress(state), bytes: state.bytes)
                end.state = state
                if state.activity == .offline, let failure = state.failure { line.note("offline, will try again: \(failure)") }
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
