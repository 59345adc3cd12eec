import Coordination
import Foundation

/// Conversations with running bridges, many at a time: with a bridge whose admin port has logins, and with one without.
struct FuzzRun: Sendable {
    private(set) var sent = 0
    private(set) var statuses: [Int: Int] = [:]
    private(set) var breaches: [FuzzBreach] = []
    private(set) var largest = 0

    /// The number of connections that the bridges have opened to hostile servers.
    private(set) var asked = 0

    /// The maximal number of faults to collect.
    private static let enough = 8

    /// Plays conversations until the number of requests and messages is reached.
    static func play(_ requests: Int) async throws -> FuzzRun {
        var run = FuzzRun()
        var first = 0
        while run.sent < requests, run.breaches.count < enough {
            try await run.playRound(first..<(first + FuzzSettings.ofRound), rest: requests - run.sent)
            first += FuzzSettings.ofRound
        }
        return run
    }

    /// Plays only one conversation.
    static func play(only number: Int) async throws -> FuzzRun {
        var run = FuzzRun()
        try await run.playRound(number..<(number + 1), rest: .max)
        return run
    }

    /// Even conversations use the bridge without logins, odd ones the bridge with logins.
    private mutating func playRound(_ numbers: Range<Int>, rest: Int) async throws {
        async let open = FuzzWorld(hasLogins: false)
        async let guarded = FuzzWorld(hasLogins: true)
        let worlds = try await [open, guarded]
        let round = FuzzRound(numbers, worlds, limit: rest)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<(numbers.count == 1 ? 1 : FuzzSettings.clients) {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            round.play()
                            continuation.resume()
                        }
                    }
                }
            }
        }
        let result = round.result
        sent += result.sent
        statuses.merge(result.statuses) { $0 + $1 }
        largest = max(largest, result.largest)
        breaches += result.breaches
        for world in worlds {
            asked += world.server.accepted
            for trouble in try await world.end() {
                breaches.append(FuzzBreach(origin: "ONLY=\(numbers.lowerBound) and later", what: trouble))
            }
        }
    }
}

/// The part of a run with bridges of its own. Its threads play different conversations.
final class FuzzRound: Sendable {
    struct Result {
        var sent = 0
        var statuses: [Int: Int] = [:]
        var breaches: [FuzzBreach] = []
        var largest = 0
        fileprivate var next: Int
        fileprivate var underWay: Set<Int> = []
    }

    private let numbers: Range<Int>
    private let worlds: [FuzzWorld]
    private let limit: Int
    private let state: Lock<Result>

    init(_ numbers: Range<Int>, _ worlds: [FuzzWorld], limit: Int) {
        self.numbers = numbers
        self.worlds = worlds
        self.limit = limit
        state = Lock(Result(next: numbers.lowerBound))
    }

    var result: Result { state.withLock { $0 } }

    /// Plays conversations until the end or a fault.
    func play() {
        while let number = next() {
            let world = worlds[number % worlds.count]
            var conversation = FuzzConversation(number, in: world)
            var breaches = [conversation.play()].compactMap(\.self)
            if number % 8 == 0 || !breaches.isEmpty, let trouble = world.bridge.trouble {
                let others = state.withLock { $0.underWay.sorted() }
                breaches.append(FuzzBreach(origin: "ONLY=\(number)", what: "\(trouble)\nWhile conversations \(others) were under way"))
            }
            let (sent, statuses, bytes) = (conversation.sent, conversation.statuses, world.bridge.residentBytes ?? 0)
            state.withLock { state in
                state.sent += sent
                state.statuses.merge(statuses) { $0 + $1 }
                state.largest = max(state.largest, bytes)
                state.breaches += breaches
                state.underWay.remove(number)
            }
        }
    }

    private func next() -> Int? {
        state.withLock { state in
            guard state.next < numbers.upperBound, state.sent < limit, state.breaches.count < 4 else { return nil }
            defer { state.next += 1 }
            state.underWay.insert(state.next)
            return state.next
        }
    }
}
