@preconcurrency import Dispatch
import Foundation
package import Logging
import Synchronization

/// Keeps a process running: starts it, passes on signals, and starts it again when it has ended without being told to.
///
/// Listening sockets are open as long as the supervisor runs, so clients wait for the next process rather than being refused.
package final class Supervisor: Sendable {
    private struct State {
        var process: SupervisedProcess?
        var isStopping = false
        var served = false
        var ledger = StartFaultTracker()
    }

    private let arguments: [String]
    private let sockets: [ListeningSocket]
    private let manager: ServiceManager?
    private let logger: Logger
    private let state = Mutex(State())

    /// Signalled when the supervisor is told to stop.
    private let stopping = DispatchSemaphore(value: 0)

    /// Seconds from the signal to stop until a process that hangs is killed: a little more than the bridge takes to end itself.
    private static let patience = 9.5

    /// - Parameters:
    ///   - arguments: those of this program, with its name.
    ///   - sockets: what the process accepts at.
    ///   - manager: is told when the process serves, lives and stops.
    package init(arguments: [String], sockets: [ListeningSocket], manager: ServiceManager? = nil, logger: Logger) {
        self.arguments = arguments
        self.sockets = sockets
        self.manager = manager
        self.logger = logger
    }

    /// Runs until the process ends by itself, or by a signal that is meant to end it.
    ///
    /// - Returns: The exit code for this program.
    /// - Throws: ``SpawnError`` if the first process cannot be started.
    package func run() async throws -> Int32 {
        try await withCheckedThrowingContinuation { continuation in
            // One thread for all processes: the system may have no other to give when one is started again.
            Thread.detachNewThread { continuation.resume(with: Result { try self.keepRunning() }) }
        }
    }

    private func keepRunning() throws -> Int32 {
        // A program that was started with the signal ignored is not told how its processes end.
        signal(SIGCHLD, SIG_DFL)
        let sources = [SIGTERM, SIGINT, SIGHUP, SIGQUIT].map(passOn)
        defer { for source in sources { source.cancel() } }
        var policy = RestartPolicy()
        var start = SupervisedStart()
        while true {
            let began = ContinuousClock.now
            let ending = try run(start)
            let (served, isStopping) = state.withLock { state in
                state.ledger.end(ending)
                (start.held, start.suspects) = (state.ledger.held, state.ledger.suspects)
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
            tell(ending, start, after: ContinuousClock.now - began, wait)
            if isStopped(within: wait) { return ending.exitCode }
        }
    }

    /// Waits before another process is started. The supervisor lives meanwhile.
    ///
    /// - Returns: Whether it is told to stop.
    private func isStopped(within wait: Double) -> Bool {
        var rest = wait
        repeat {
            manager?.tell(.alive)
            if stopping.wait(timeout: .now() + min(rest, 5)) == .success { return true }
            rest -= 5
        } while rest > 0
        return false
    }

    /// Runs one process to its end.
    ///
    /// - Throws: ``SpawnError`` if the first process cannot be started; of later ones that is an ending.
    private func run(_ start: SupervisedStart) throws -> Ending {
        state.withLock { $0.served = false }
        let process: SupervisedProcess
        do {
            process = try SupervisedProcess(arguments: arguments, start: start, sockets: sockets)
        } catch let error as POSIXError {
            // An operator who has just started the program sees the error. Later, a retry mends more than a message.
            guard start.restarts > 0 else { throw SpawnError(cause: error) }
            return .unstarted(error.code.rawValue)
        }
        let isStopping = state.withLock { state in
            state.process = process
            return state.isStopping
        }
        // Asked to stop while it was being started.
        if isStopping { kill(process.id, SIGTERM) }
        let ending = process.watch(receive)
        state.withLock { $0.process = nil }
        return ending
    }

    private func receive(_ notice: StartMessage) {
        state.withLock { state in
            switch notice {
            case .begin(let part): state.ledger.begin(part)
            case .settle(let part): state.ledger.settle(part)
            case .serving: state.served = true
            case .alive: break
            }
        }
        switch notice {
        case .serving: manager?.tell(.ready)
        case .alive: manager?.tell(.alive)
        case .begin, .settle: break
        }
    }

    /// Sends the process each signal of one kind that this program gets.
    private func passOn(_ number: Int32) -> any DispatchSourceSignal {
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
            manager?.tell(.stopping)
            stopping.signal()
            // SIGQUIT asks for a core dump, which takes its time.
            if number != SIGQUIT { DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { self.killHanging() } }
        }
        source.activate()
        return source
    }

    private func killHanging() {
        let isKilled = state.withLock { state in
            guard let process = state.process else { return false }
            return kill(process.id, SIGKILL) == 0
        }
        if isKilled { logger.critical("the bridge has not ended in time, and is killed") }
    }

    private func tell(_ ending: Ending, _ start: SupervisedStart, after run: Duration, _ wait: Double) {
        if case .unstarted = ending {
            logger.critical(
                "the bridge cannot be started; the supervisor tries again", metadata: ["reason": "\(ending.reason)", "wait": "\(wait) s"])
            return
        }
        logger.critical(
            "the bridge was ended, and is started again",
            metadata: [
                "reason": "\(ending.reason)", "ran": "\(run.components.seconds) s", "wait": "\(wait) s", "restarts": "\(start.restarts)",
            ])
        for part in start.held.sorted(by: { $0.description < $1.description }) {
            logger.critical(
                "this part of the bridge has ended it twice at its start, and is held back; mend it, then start it (a database by SIGHUP), or remove it",
                metadata: ["part": "\(part)"])
        }
    }
}
