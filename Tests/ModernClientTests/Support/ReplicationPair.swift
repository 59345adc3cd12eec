import Access
import BLIP
import Coordination
import Documents
import Gateway
import Logging
import ModernServer
import ModernTestSupport
import Storage
import TestSupport
import Testing

@testable import ModernClient
@testable import ModernProtocol

/// Two databases, with a replicator of the first and the listener of the second.
struct ReplicationPair: Sendable {
    let local: TestBridge
    let remote: TestBridge
    let traffic = Traffic()

    /// The subprotocol of both sides.
    var subprotocol = Subprotocol.v3

    /// - Parameters: The configuration of each database.
    init(_ change: (inout DatabaseConfiguration) -> Void = { _ in }, there: (inout DatabaseConfiguration) -> Void = { _ in }) async throws {
        local = try await TestBridge(change)
        var remote = try await TestBridge(there)
        // On a busy machine a replicator sends a requested revision later than an app would.
        remote.limits.timeToPush = .seconds(60)
        self.remote = remote
    }

    var here: Keyspace { local.database.unified }
    var there: Keyspace { remote.database.unified }

    /// The other side's listener, over a socket that counts messages and disconnects after the limit.
    func endpoint(cutAfter limit: Int? = nil, cuts: RandomCuts? = nil, as principal: Principal = .administrator) -> MessageEndpoint {
        let remote = remote, traffic = traffic, subprotocol = subprotocol
        return MessageEndpoint(uid: "there", subprotocol: subprotocol) {
            let limit = cuts.map { $0.next() } ?? limit
            let (ours, theirs) = await SocketEnd.pair()
            traffic.countConnection()
            Task { await remote.listener.serve(theirs, database: remote.database, principal: principal, subprotocol: subprotocol) }
            return WatchedSocket(ours, traffic, limit: limit)
        }
    }

    func configuration(
        _ type: ReplicatorType = .pushAndPull, cutAfter limit: Int? = nil,
        _ change: (inout ReplicatorConfiguration.CollectionConfiguration) -> Void = { _ in }
    ) -> ReplicatorConfiguration {
        var configuration = ReplicatorConfiguration(target: endpoint(cutAfter: limit))
        configuration.replicatorType = type
        var collection = ReplicatorConfiguration.CollectionConfiguration()
        change(&collection)
        configuration.addCollection(here, config: collection)
        return configuration
    }

    func replicator(_ configuration: ReplicatorConfiguration, clock: any Clock<Duration> = StillClock()) throws -> Replicator {
        try Replicator(
            configuration: configuration, limits: ReplicatorLimits(), clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Replicates once, and returns the status and the reported documents.
    @discardableResult
    func run(_ configuration: ReplicatorConfiguration, reset: Bool = false) async throws -> (status: ReplicatorStatus, documents: [String])
    {
        let (status, events) = try await finish(configuration, reset: reset)
        var documents: [String] = []
        for await event in events {
            for document in event.documents {
                documents.append(
                    "\(event.isPush ? ">" : "<")\(document.id)\(document.flags.contains(.deleted) ? "!" : "")"
                        + "\(document.flags.contains(.accessRemoved) ? "-" : "")\(document.error.map { " \($0.code)" } ?? "")")
            }
        }
        return (status, documents.sorted())
    }

    /// The events end when the replicator is released.
    private func finish(
        _ configuration: ReplicatorConfiguration, reset: Bool
    ) async throws -> (ReplicatorStatus, AsyncStream<DocumentReplication>) {
        let replicator = try replicator(configuration)
        let events = await replicator.documentReplications()
        await replicator.start(reset: reset)
        return (await replicator.waitUntilStopped(), events)
    }
}

extension Replicator {
    /// Waits until the status fulfils a condition.
    @discardableResult
    func wait(_ condition: @Sendable (ReplicatorStatus) -> Bool) async -> ReplicatorStatus {
        for await status in changes() where condition(status) { return status }
        return status
    }
}

/// The messages between the two sides.
final class Traffic: Sendable {
    private struct State {
        var connections = 0
        var messages = 0
        var bytes = 0
    }

    private let state = Lock(State())

    var connections: Int { state.withLock { $0.connections } }
    var messages: Int { state.withLock { $0.messages } }

    func countConnection() { state.withLock { $0.connections += 1 } }

    var bytes: Int { state.withLock { $0.bytes } }

    func count(_ messages: ArraySlice<[UInt8]>) {
        state.withLock { state in
            state.messages += messages.count
            state.bytes += messages.reduce(0) { $0 + $1.count }
        }
    }
}

/// A socket that drops the connection after a number of messages, in both directions together.
final class WatchedSocket: MessageSocket {
    private let socket: SocketEnd
    private let traffic: Traffic
    private let limit: Int?
    private let passed = Lock(0)

    init(_ socket: SocketEnd, _ traffic: Traffic, limit: Int?) {
        self.socket = socket
        self.traffic = traffic
        self.limit = limit
    }

    func receive() async throws -> [[UInt8]]? {
        guard let messages = try await socket.receive() else { return nil }
        let allowed = countPassing(messages)
        if allowed < messages.count { await socket.drop() }
        guard allowed > 0 else { throw SocketEnd.Broken() }
        return Array(messages[..<allowed])
    }

    func send(_ messages: [[UInt8]]) async throws {
        let allowed = countPassing(messages)
        if allowed > 0 { try await socket.send(Array(messages[..<allowed])) }
        guard allowed < messages.count else { return }
        await socket.drop()
        throw SocketEnd.Broken()
    }

    func close(code: UInt16, reason: String) async { await socket.close(code: code, reason: reason) }
    func drop() async { await socket.drop() }

    /// Counts messages.
    ///
    /// - Returns: The number of messages that pass before the connection is dropped.
    private func countPassing(_ messages: [[UInt8]]) -> Int {
        let allowed = passed.withLock { passed in
            defer { passed += messages.count }
            return limit.map { max(0, min(messages.count, $0 - passed)) } ?? messages.count
        }
        traffic.count(messages.prefix(allowed))
        return allowed
    }
}

/// The numbers of messages after which successive connections are dropped; later connections are not.
final class RandomCuts: Sendable {
    private let state: Lock<(generator: SeededGenerator, left: Int)>
    private let range: ClosedRange<Int>

    init(seed: UInt64, count: Int, within range: ClosedRange<Int>) {
        state = Lock((SeededGenerator(seed: seed), count))
        self.range = range
    }

    func next() -> Int? {
        state.withLock { state in
            guard state.left > 0 else { return nil }
            state.left -= 1
            return Int.random(in: range, using: &state.generator)
        }
    }
}

/// A clock on which waits for a retry end at once, and other waits end by cancellation.
struct StillClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    final class Waits: Sendable {
        private let state = Lock<[Duration]>([])
        var all: [Duration] { state.withLock { $0 } }
        func append(_ wait: Duration) { state.withLock { $0.append(wait) } }
    }

    /// The waits that ended at once.
    let waits = Waits()

    /// Selects the waits that end at once: by default the doublings of a backoff.
    var skips: @Sendable (Duration) -> Bool = { wait in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300].contains { wait == .seconds($0) } }

    var now: Instant { Instant(offset: .zero) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        if skips(deadline.offset) {
            waits.append(deadline.offset)
            return try Task.checkCancellation()
        }
        let (stream, _continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        _continuation.finish()
        throw CancellationError()
    }
}
