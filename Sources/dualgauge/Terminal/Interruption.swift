@preconcurrency import Dispatch
import Foundation
import Synchronization

/// Ctrl-C and SIGTERM, the first of which asks for an end in order; the second ends the process.
final class Interruption: Sendable {
    private static let numbers = [SIGINT, SIGTERM]

    private struct State {
        var isBegun = false
        var stop: (@Sendable () async -> Void)?
    }

    private let state: Mutex<State>
    private let sources: [any DispatchSourceSignal]
    private let signals: AsyncStream<Void>.Continuation

    /// Whether somebody has asked for the end.
    var isBegun: Bool { state.withLock { $0.isBegun } }

    /// - Parameter stop: Is called once; what is yet to be made is named by ``whenBegun(_:)``.
    init(_ stop: (@Sendable () async -> Void)? = nil) {
        state = Mutex(State(stop: stop))
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

    /// Has `stop` called when somebody asks for the end, or at once if somebody has.
    func onInterruption(_ stop: @escaping @Sendable () async -> Void) async {
        let isBegun = state.withLock { state in
            state.stop = stop
            return state.isBegun
        }
        if isBegun { await stop() }
    }

    /// Signals mean again what they meant.
    func end() {
        signals.finish()
        for source in sources { source.cancel() }
        for number in Self.numbers { signal(number, SIG_DFL) }
    }
}
