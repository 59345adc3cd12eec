@preconcurrency import Dispatch
import Foundation
import Synchronization

/// Ctrl-C and SIGTERM, the first of which asks for an end in order; the second ends the process.
final class Interruption: Sendable {
    private static let numbers = [SIGINT, SIGTERM]

    private let begun = Mutex(false)
    private let sources: [any DispatchSourceSignal]
    private let signals: AsyncStream<Void>.Continuation

    /// Whether somebody has asked for the end.
    var isBegun: Bool { begun.withLock { $0 } }

    /// - Parameter stop: Is called once.
    init(_ stop: @escaping @Sendable () async -> Void) {
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
                begun.withLock { $0 = true }
                await stop()
            }
        }
    }

    /// Signals mean again what they meant.
    func end() {
        signals.finish()
        for source in sources { source.cancel() }
        for number in Self.numbers { signal(number, SIG_DFL) }
    }
}
