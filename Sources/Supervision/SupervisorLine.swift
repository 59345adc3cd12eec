import Foundation
import Synchronization

/// The line of a process to its supervisor, or to nobody where there is none.
///
/// The process ends with its supervisor: whoever starts a bridge, and kills it, wants nothing of it to go on.
package final class SupervisorLine: Sendable {
    /// What the supervisor has told; that of a first start where there is none.
    package let start: SupervisedStart

    /// -1 where there is no supervisor.
    private let descriptor: Int32
    private let writing = Mutex(())

    /// Of a process that nobody supervises.
    package init() {
        start = SupervisedStart()
        descriptor = -1
    }

    private init(_ start: SupervisedStart) {
        self.start = start
        descriptor = SupervisedStart.line
    }

    /// Takes up the line that this process has inherited; `nil` if nobody supervises it. To be called once, before other threads are there.
    package static func inherited() -> SupervisorLine? {
        guard let text = ProcessInfo.processInfo.environment[SupervisedStart.variable], let start = SupervisedStart(json: text) else {
            return nil
        }
        // Programs that this one starts are not supervised, and inherit nothing.
        unsetenv(SupervisedStart.variable)
        for descriptor in [SupervisedStart.line] + start.sockets.values { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        let line = SupervisorLine(start)
        line.endWithSupervisor()
        return line
    }

    package var isSupervised: Bool { descriptor >= 0 }

    /// A part of the start begins.
    package func begin(_ part: StartPart) { send(.begin(part)) }

    /// A part of the start is over, whatever came of it.
    package func settle(_ part: StartPart) { send(.settle(part)) }

    /// The process serves.
    package func serve() { send(.serving) }

    private func send(_ notice: StartNotice) {
        guard isSupervised, notice.line.utf8.count <= StartNotice.longest else { return }
        writing.withLock { _ in
            var rest = Array(notice.line.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    return
                }
            }
        }
    }

    /// The supervisor never writes, so the line is readable when the supervisor has ended.
    private func endWithSupervisor() {
        Thread.detachNewThread { [descriptor] in
            var byte: UInt8 = 0
            while read(descriptor, &byte, 1) != 0 {
                guard errno == EINTR else { return }
            }
            kill(getpid(), SIGKILL)
        }
    }
}
