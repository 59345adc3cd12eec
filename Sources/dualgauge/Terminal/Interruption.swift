import Coordination
@preconcurrency import Dispatch
import Foundation

/// Handles Ctrl-C and SIGTERM: the first signal requests an orderly stop, the second one ends the process.
final class Interruption: Sendable {
    private static let numbers = [SIGINT, SIGTERM]

    private struct State {
        var isBegun = false
        var stop: (@Sendable () async -> Void)?
    }

    private let state: Lock<State>
    private let sources: [any DispatchSourceSignal]
    private let signals: AsyncStream<Void>.Continuation

    /// Whether a stop was requested.
    var isBegun: Bool { state.withLock { $0.isBegun } }

    /// - Parameter stop: Called at the first signal. ``onInterruption(_:)`` sets it later if what it stops does not exist yet.
    init(_ stop: (@Sendable () async -> Void)? = nil) {
        state = Lock(State(stop: stop))
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        signals = continuation
        sources = Self.numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield() }
            source.activate()
            return source
        }
        Task {
            for await _ in stream {
                for number in Self.numbers { signal(number, SIG_DFL) }
                let stop = state.withLock { state in
                    state.isBegun = true
                    return state.stop
                }
                await stop?()
            }
        }
    }

    /// Sets the function that a stop request calls. Calls it at once if a stop was requested already.
    func onInterruption(_ stop: @escaping @Sendable () async -> Void) async {
        let isBegun = state.withLock { state in
            state.stop = stop
            return state.isBegun
        }
        if isBegun { await stop() }
    }

    /// Restores the default handling of the signals.
    func end() {
        signals.finish()
        for source in sources { source.cancel() }
        for number in Self.numbers { signal(number, SIG_DFL) }
    }
}
