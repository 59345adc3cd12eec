@preconcurrency import Dispatch
import Foundation
import Migration

/// SIGUSR2 pauses a run after its batch, SIGCONT lets it go on. Ctrl-Z and `fg` stop and continue the whole process, as ever.
///
/// SIGUSR1 belongs to JavaScriptCore, which stops threads by it for its collector.
final class PauseSignals: Sendable {
    private static let numbers = [SIGUSR2, SIGCONT]

    private let sources: [any DispatchSourceSignal]

    init(_ control: MigrationControl, note: @escaping @Sendable (String) -> Void) {
        let pid = ProcessInfo.processInfo.processIdentifier
        sources = Self.numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                if number == SIGUSR2 {
                    control.pause()
                    note("pausing after this batch; `kill -CONT \(pid)` to go on")
                } else if control.isPaused {
                    control.resume()
                    note("going on")
                }
            }
            source.activate()
            return source
        }
    }

    func end() {
        for source in sources { source.cancel() }
        for number in Self.numbers { signal(number, SIG_DFL) }
    }
}
