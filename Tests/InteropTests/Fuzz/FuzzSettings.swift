import Foundation
import TestSupport

/// The settings of a run against running bridges, from the environment.
enum FuzzSettings {
    private static func number(_ key: String) -> Int? { ProcessInfo.processInfo.environment[key].flatMap { Int($0) } }

    /// The number of requests and messages: `DUALGAUGE_FUZZ_REQUESTS`.
    static let requests = number("DUALGAUGE_FUZZ_REQUESTS") ?? 2_500

    /// The number of damaged files and command lines: `DUALGAUGE_FUZZ_FILES`.
    static let files = number("DUALGAUGE_FUZZ_FILES") ?? 8

    /// The only conversation to play: `DUALGAUGE_FUZZ_ONLY`; or the only file: `DUALGAUGE_FUZZ_FILE`.
    static let only = number("DUALGAUGE_FUZZ_ONLY")
    static let onlyFile = number("DUALGAUGE_FUZZ_FILE")

    /// `DUALGAUGE_FUZZ_SEED`
    static let seed = FuzzInputs.seed

    /// Clients at a time: `DUALGAUGE_FUZZ_CLIENTS`.
    static let clients = number("DUALGAUGE_FUZZ_CLIENTS") ?? 8

    /// The number of seconds without data after which a bridge that has to reply has failed: `DUALGAUGE_FUZZ_PATIENCE`. It is longer than any request
    /// beside all the other tests on a slow machine.
    static let timeout = number("DUALGAUGE_FUZZ_PATIENCE") ?? 90

    /// The same for a program: it may have to read a large file, or to retry a server.
    static let programTimeout = max(timeout, 60)

    /// Requests of one conversation.
    static let ofConversation = 40

    /// Conversations with one bridge; a new bridge follows, so that its lists stay short.
    static let ofRound = 2_000

    /// The memory limit of the bridges' clients, and of the rest of the process: its code, its heap, its caches.
    static let memory = 256 << 20
    static let besides = 512 << 20

    /// The generator of one conversation or file, independent of others.
    static func random(_ number: Int) -> SeededGenerator {
        var mixer = SeededGenerator(seed: seed &* 0x9e37_79b9 &+ UInt64(truncatingIfNeeded: number))
        return SeededGenerator(seed: mixer.next())
    }
}

extension SeededGenerator {
    /// A random element. An empty list has none, so callers pass no empty list.
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[Int.random(in: elements.indices, using: &self)] }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}
