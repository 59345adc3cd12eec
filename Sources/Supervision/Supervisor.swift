@preconcurrency import Dispatch
import Foundation
package import Logging
import Synchronization

/// Keeps a process running: starts it, passes on signals, and starts it again when a signal has ended it.
///
/// Listening sockets are open as long as the supervisor runs, so clients wait for the next process rather than being refused.
package final class Supervisor: Sendable {
    private struct State {
        var process: SupervisedProcess?
        var isStopping = false
        /// Until the next start.
        var wait: Task<Void, Never>?
        var served = false
        var ledger = StartLedger()
    }

    private let arguments: [String]
    private let sockets: [ListeningSocket]
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - arguments: those of this program, with its name.
    ///   - sockets: what the process accepts at.
    package init(arguments: [String], sockets: [ListeningSocket], logger: Logger) {
        self.arguments = arguments
        self.sockets = sockets
        self.logger = logger
    }

    /// Runs until the process ends by itself, or by a signal that is meant to end it.
    ///
    /// - Returns: The exit code for this program.
    /// - Throws: `POSIXError` if the process cannot be started.
    package func run() async throws -> Int32 {
        let sources = [SIGTERM, SIGINT, SIGHUP, SIGQUIT].map(passOn)
        defer { for source in sources { source.cancel() } }
        var policy = RestartPolicy()
        var start = SupervisedStart()
        while true {
            let began = ContinuousClock.now
            let ending = try await run(start)
            let (served, isStopping) = state.withLock { state in
                state.ledger.end(ending)
                (start.held, start.suspects) = (state.ledger.held, state.ledger.suspects)
                return (state.served, state.isStopping)
            }
            let decision = policy.decide(
                ending, served: served, isStopping: isStopping, now: Double(DispatchTime.now().uptimeNanoseconds) / 1e9)
            guard case .restart(let wait) = decision else {
                guard case .end(let code) = decision else { return ending.exitCode }
                return code
            }
            start.restarts += 1
            (start.lastReason, start.lastTime) = (ending.reason, Int(Date().timeIntervalSince1970))
            tell(ending, start, after: ContinuousClock.now - began, wait)
            if await isToldToStop(within: wait) { return ending.exitCode }
        }
    }

    private func isToldToStop(within seconds: Double) async -> Bool {
        let wait = Task { _ = try? await Task.sleep(for: .seconds(seconds)) }
        let isStopping = state.withLock { state in
            state.wait = wait
            return state.isStopping
        }
        if !isStopping { await wait.value }
        return state.withLock(\.isStopping)
    }

    private func run(_ start: SupervisedStart) async throws -> Ending {
        let process = try SupervisedProcess(arguments: arguments, start: start, sockets: sockets)
        let isStopping = state.withLock { state in
            (state.process, state.served) = (process, false)
            return state.isStopping
        }
        // Asked to stop while it was being started.
        if isStopping { kill(process.id, SIGTERM) }
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let ending = process.watch { self.receive($0) }
                self.state.withLock { $0.process = nil }
                continuation.resume(returning: ending)
            }
        }
    }

    private func receive(_ notice: StartNotice) {
        state.withLock { state in
            switch notice {
            case .begin(let part): state.ledger.begin(part)
            case .settle(let part): state.ledger.settle(part)
            case .serving: state.served = true
            }
        }
    }

    /// Sends the process each signal of one kind that this program gets.
    private func passOn(_ number: Int32) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { [self] in
            state.withLock { state in
                if number != SIGHUP {
                    state.isStopping = true
                    state.wait?.cancel()
                }
                if let process = state.process { kill(process.id, number) }
            }
        }
        source.activate()
        return source
    }

    private func tell(_ ending: Ending, _ start: SupervisedStart, after run: Duration, _ wait: Double) {
        logger.critical(
            "the bridge was ended, and is started again",
            metadata: [
                "reason": "\(ending.reason)", "ran": "\(run.components.seconds) s", "wait": "\(wait) s", "restarts": "\(start.restarts)",
            ])
        for part in start.held.sorted(by: { $0.description < $1.description }) {
            logger.critical(
                "this part of the bridge has ended it twice at its start, and is held back; mend or remove it, then stop and start the bridge",
                metadata: ["part": "\(part)"])
        }
    }
}
