import Foundation
import TestSupport

/// What the environment says of a run against living bridges.
enum FuzzSettings {
    private static func number(_ key: String) -> Int? { ProcessInfo.processInfo.environment[key].flatMap { Int($0) } }

    /// Requests and messages that are sent: `DUALGAUGE_FUZZ_REQUESTS`.
    static let requests = number("DUALGAUGE_FUZZ_REQUESTS") ?? 2_500

    /// Damaged files and command lines that programs are started with: `DUALGAUGE_FUZZ_FILES`.
    static let files = number("DUALGAUGE_FUZZ_FILES") ?? 8

    /// The one conversation that is played: `DUALGAUGE_FUZZ_ONLY`; or the one file: `DUALGAUGE_FUZZ_FILE`.
    static let only = number("DUALGAUGE_FUZZ_ONLY")
    static let onlyFile = number("DUALGAUGE_FUZZ_FILE")

    /// `DUALGAUGE_FUZZ_SEED`
    static let seed = FuzzInputs.seed

    /// Clients at a time: `DUALGAUGE_FUZZ_CLIENTS`.
    static let clients = number("DUALGAUGE_FUZZ_CLIENTS") ?? 8

    /// For how many seconds nothing may come from a bridge that has to answer: `DUALGAUGE_FUZZ_PATIENCE`. More than anything takes beside
    /// all the other tests on a slow machine.
    static let patience = number("DUALGAUGE_FUZZ_PATIENCE") ?? 90

    /// The same for a program that is run: it may have to read a large file, or to try a server once more.
    static let patienceWithPrograms = max(patience, 60)

    /// Requests of one conversation.
    static let ofConversation = 40

    /// Conversations with one bridge; the next ones have a fresh one, so that its lists do not become long.
    static let ofRound = 2_000

    /// The bytes that the bridges' clients may hold, and those that the process may have besides: its code, its heap, its caches.
    static let memory = 256 << 20
    static let besides = 512 << 20

    /// The generator of one conversation or file, whatever was played before it.
    static func random(_ number: Int) -> SeededGenerator {
        var mixer = SeededGenerator(seed: seed &* 0x9e37_79b9 &+ UInt64(truncatingIfNeeded: number))
        return SeededGenerator(seed: mixer.next())
    }
}

extension SeededGenerator {
    /// One of some. An empty list has none to give, so none is empty.
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[Int.random(in: elements.indices, using: &self)] }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}
