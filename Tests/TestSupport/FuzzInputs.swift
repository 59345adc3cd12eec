import Foundation

/// Inputs made of clients' messages with random damage, the same in every run with the same seed.
package struct FuzzInputs: Sequence, IteratorProtocol, Sendable {
    /// The number of inputs per test: `DUALGAUGE_FUZZ_INPUTS`.
    package static let count = ProcessInfo.processInfo.environment["DUALGAUGE_FUZZ_INPUTS"].flatMap { Int($0) } ?? 1_000

    /// The seed: `DUALGAUGE_FUZZ_SEED`.
    package static let seed = ProcessInfo.processInfo.environment["DUALGAUGE_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1

    /// The maximum length of an input, in bytes.
    private static let maximumLength = 4_096

    private let samples: [[UInt8]]
    private let tokens: [[UInt8]]
    private var random: SeededGenerator
    private var rest: Int

    /// - Parameters:
    ///   - samples: Valid inputs, or nearly valid ones.
    ///   - tokens: Texts to insert.
    package init(_ samples: [String], tokens: [String], count: Int = Self.count, seed: UInt64 = Self.seed) {
        self.init(samples.map { Array($0.utf8) }, tokens: tokens.map { Array($0.utf8) }, count: count, seed: seed)
    }

    package init(_ samples: [[UInt8]], tokens: [[UInt8]], count: Int = Self.count, seed: UInt64 = Self.seed) {
        self.samples = samples
        self.tokens = tokens
        random = SeededGenerator(seed: seed)
        rest = count
    }

    /// Whether all inputs were returned.
    package var isOver: Bool { rest == 0 }

    package mutating func next() -> [UInt8]? {
        guard rest > 0 else { return nil }
        rest -= 1
        var input = samples[Int.random(in: samples.indices, using: &random)]
        for _ in 0..<Int.random(in: 0...6, using: &random) { damage(&input) }
        return Array(input.prefix(Self.maximumLength))
    }

    private mutating func damage(_ input: inout [UInt8]) {
        let place = Int.random(in: 0...input.count, using: &random)
        let end = Swift.min(input.count, place + Int.random(in: 0...12, using: &random))
        switch Int.random(in: 0..<7, using: &random) {
        case 0 where place < input.count: input[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: input.insert(UInt8.random(in: .min ... .max, using: &random), at: place)
        case 2: input.removeSubrange(place..<end)
        case 3: input.insert(contentsOf: input[place..<end], at: place)
        case 4: input.insert(contentsOf: tokens[Int.random(in: tokens.indices, using: &random)], at: place)
        case 5: input.removeSubrange(place...)
        default: input.insert(contentsOf: samples[Int.random(in: samples.indices, using: &random)].prefix(64), at: place)
        }
    }

    /// The next inputs, at most `count`.
    package mutating func next(_ count: Int) -> [[UInt8]] {
        (0..<count).compactMap { _ in next() }
    }

    /// A random number for the test's own choices.
    package mutating func choice(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
}
