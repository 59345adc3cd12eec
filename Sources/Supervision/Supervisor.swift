import Coordination
@preconcurrency import Dispatch
import Foundation
package import Logging

/// Runs the bridge in a child process: starts it, forwards signals to it, and restarts it after an unexpected end.
///
/// The listening sockets remain open in the supervisor, so that clients wait for the next process instead of being refused.
package final class Supervisor: Sendable {
    private struct State {
        var process: SupervisedProcess?
        var isStopping = false
        var served = false

        /// The seconds that a process which was asked to stop serves on.
        var drain = 0
        var tracker = StartFaultTracker()
    }

    private let arguments: [String]
    private let sockets: [ListeningSocket]
    private let manager: ServiceManager?
    private let logger: Logger
    private let state = Lock(State())

    /// Signalled when the supervisor is asked to stop.
    private let stopping = DispatchSemaphore(value: 0)

    /// Seconds from the stop signal until a hung process is killed: slightly more than the bridge's own limit for stopping.
    private static let stopTimeout = 9.5

    /// - Parameters:
    ///   - arguments: the arguments of this program, including its name.
    ///   - sockets: the sockets at which the process accepts connections.
    ///   - manager: is notified when the process serves, is alive and stops.
    package init(arguments: [String], sockets: [ListeningSocket], manager: ServiceManager? = nil, logger: Logger) {
        self.arguments = arguments
        self.sockets = sockets
        self.manager = manager
        self.logger = logger
    }

    /// Runs until a process ends that is not restarted: see ``RestartPolicy``.
    ///
    /// - Returns: The exit code for this program.
    /// - Throws: ``SpawnError`` if the first process cannot be started.
    package func run() async throws -> Int32 {
        // A single thread starts all processes, because the system may not be able to create another thread at a restart.
        try await onNewThread { try self.runProcesses() }
    }

    private func runProcesses() throws -> Int32 {
        // If SIGCHLD is ignored, as the parent process may have set it, `waitpid` returns no status.
        signal(SIGCHLD, SIG_DFL)
        let sources = [SIGTERM, SIGINT, SIGHUP, SIGQUIT].map(forward)
        defer { for source in sources { source.cancel() } }
        var policy = RestartPolicy()
        var start = SupervisedStart()
        while true {
            let began = ContinuousClock.now
            let ending = try run(start)
            let (served, isStopping) = state.withLock { state in
                state.tracker.end(ending)
                (start.held, start.suspects) = (state.tracker.held, state.tracker.suspects)
                return (state.served, state.isStopping)
            }
            let decision = policy.decide(
                ending, served: served, isStopping: isStopping, now: Double(DispatchTime.now().uptimeNanoseconds) / 1e9)
            let wait: Double
            switch decision {
            case .end(let code): return code
            case .restart(let seconds): wait = seconds
            }
            start.follow(ending)
            log(ending, start, after: ContinuousClock.now - began, wait)
            if isStopRequested(within: wait) { return ending.exitCode }
        }
    }

    /// Waits before the next process is started, and notifies the manager that the supervisor is alive.
    ///
    /// - Returns: Whether a stop was requested.
    private func isStopRequested(within wait: Double) -> Bool {
        var rest = wait
        repeat {
            manager?.notify(.alive)
            if stopping.wait(timeout: .now() + min(rest, 5)) == .success { return true }
            rest -= 5
        } while rest > 0
        return false
    }

    /// Runs one process until it ends.
    ///
    /// - Throws: ``SpawnError`` if the first process cannot be started. For later ones, the failure is returned as an ending.
    private func run(_ start: SupervisedStart) throws -> Ending {
        state.withLock { ($0.served, $0.drain) = (false, 0) }
        let process: SupervisedProcess
        do {
            process = try SupervisedProcess(arguments: arguments, start: start, sockets: sockets)
        } catch let error as POSIXError {
            // An operator who has just started the program sees the error. Later nobody may read it, and a retry may succeed.
            guard start.restarts > 0 else { throw SpawnError(cause: error) }
            return .unstarted(error.code.rawValue)
        }
        let isStopping = state.withLock { state in
            state.process = process
            return state.isStopping
        }
        // The stop was requested while the process was being started.
        if isStopping { kill(process.id, SIGTERM) }
        let ending = process.watch(receive)
        state.withLock { $0.process = nil }
        return ending
    }

    private func receive(_ message: StartMessage) {
        state.withLock { state in
            switch message {
            case .begin(let part): state.tracker.begin(part)
            case .settle(let part): state.tracker.settle(part)
            case .serving: state.served = true
            case .draining(let seconds): state.drain = seconds
            case .alive: break
            }
        }
        switch message {
        case .serving: manager?.notify(.ready)
        case .alive: manager?.notify(.alive)
        case .draining(let seconds): manager?.extendStop(by: seconds)
        case .begin, .settle: break
        }
    }

    /// Forwards a signal to the process.
    private func forward(_ number: Int32) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { [self] in
            let isFirst = state.withLock { state in
                if let process = state.process { kill(process.id, number) }
                guard number != SIGHUP, !state.isStopping else { return false }
                state.isStopping = true
                return true
            }
            guard isFirst else { return }
            manager?.notify(.stopping)
            stopping.signal()
            // After SIGQUIT the process writes a core dump, which takes long.
            if number != SIGQUIT { killHung(after: Self.stopTimeout) }
        }
        source.activate()
        return source
    }

    /// Kills the process after a time, and after the time that it serves on, unless it has ended.
    private func killHung(after seconds: Double) {
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [self] in
            let drain = state.withLock { state in
                defer { state.drain = 0 }
                return state.drain
            }
            guard drain == 0 else { return killHung(after: Double(drain)) }
            let isKilled = state.withLock { state in
                guard let process = state.process else { return false }
                return kill(process.id, SIGKILL) == 0
            }
            if isKilled { logger.critical("the bridge did not stop in time and is killed") }
        }
    }

    private func log(_ ending: Ending, _ start: SupervisedStart, after run: Duration, _ wait: Double) {
        if case .unstarted = ending {
            logger.critical(
                "the bridge cannot be started; the supervisor retries", metadata: ["reason": "\(ending.reason)", "wait": "\(wait) s"])
            return
        }
        logger.critical(
            "the bridge's process has ended, and is started again",
            metadata: [
                "reason": "\(ending.reason)", "ran": "\(run.components.seconds) s", "wait": "\(wait) s", "restarts": "\(start.restarts)",
            ])
        for part in start.held.sorted(by: { $0.description < $1.description }) {
            logger.critical(
                """
                this database or replication has ended the bridge's process twice at its start, so it is held back. Correct the \
                cause, then start it (a database by SIGHUP), or remove it
                """,
                metadata: ["part": "\(part)"])
        }
    }
}
