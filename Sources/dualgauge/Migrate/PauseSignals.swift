@preconcurrency import Dispatch
import Foundation
import Migration

/// SIGUSR1 pauses a run after its batch, SIGUSR2 lets it go on. (Ctrl-Z and `fg` stop and continue the whole process, as ever.)
final class PauseSignals: Sendable {
    private let sources: [any DispatchSourceSignal]

    init(_ control: MigrationControl, note: @escaping @Sendable (String) -> Void) {
        let pid = ProcessInfo.processInfo.processIdentifier
        sources = [SIGUSR1, SIGUSR2].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                if number == SIGUSR1 {
                    control.pause()
                    note("paused; `kill -USR2 \(pid)` to go on")
                } else {
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
        for number in [SIGUSR1, SIGUSR2] { signal(number, SIG_DFL) }
    }
}
