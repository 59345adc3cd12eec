import Synchronization

/// Fetches `_local/` documents, clients' checkpoints, from the server that the fleet comes from, with the credentials of the client that asks.
///
/// Only the configured database is asked, bounded in time, size and number: eight questions at once, and those about a user once a minute.
/// Closed with ``close()``.
public final class UpstreamCheckpoints: Sendable {
    /// What upstream says of a document.
    public enum Answer: Sendable, Equatable {
        /// It has one: its JSON.
        case found([UInt8])
        /// It has none, or does not show it to this client.
        case missing
        /// It was asked a moment ago.
        case known
        /// The question has come back: the bridge is its own upstream, by whatever way.
        case loop
        /// It cannot be asked, for less than `patience`: the client had better come back.
        case unavailable
        /// It has been down for so long that clients are not to wait for it any more.
        case lost
    }

    private struct State {
        /// When each document may be asked for again, in seconds.
        var asked: [String: Int64] = [:]
        /// Since when upstream has been down.
        var downSince: Int64?
        /// Since when devices wait for the pull, and up to which number it has come.
        var behind: (pulled: Int64, since: Int64)?
    }

    /// How long an answer is good for those who ask before each write, and how many are remembered.
    private static let rest: Int64 = 30
    private static let maximumAsked = 20_000
    private static let loopDetected = 508

    /// How long what a user sees there is good for all of his devices, in seconds.
    private static let lifetime: Int64 = 60

    /// Questions that are under way at once, and that wait for their turn: a fleet that comes at once is no more to the old server than some devices.
    private static let concurrency = 8
    private static let waiting = 4_096

    /// For how many seconds of an outage clients are told to come back. After that they begin their feeds anew, which costs them rows and no
    /// documents: the old server's end must not lock the fleet out.
    private static let patience: Int64 = 600

    /// The database's URL there.
    public let database: VerificationEndpoint

    /// The name of the session cookie there.
    public let cookieName: String
    let client: VerificationClient

    /// For what is the same for all devices of a user.
    let recent: ResponseCache
    let clock: AccessClock
    private let state = Mutex(State())

    /// - Parameter authorityFile: A PEM file of authorities that are trusted in place of the system's.
    public init(
        _ configuration: UpstreamConfiguration, limits: VerificationLimits = VerificationLimits(), authorityFile: String? = nil,
        clock: AccessClock = .system
    ) {
        database = configuration.database
        cookieName = configuration.cookieName
        var limits = limits
        limits.concurrency = min(limits.concurrency, Self.concurrency)
        limits.waiting = max(limits.waiting, Self.waiting)
        client = VerificationClient(limits: limits, authorityFile: authorityFile)
        recent = ResponseCache(client, lifetime: Self.lifetime, clock: clock)
        self.clock = clock
    }

    /// Lets go of all connections.
    public func close() async {
        await client.close()
    }

    /// Asks for a document.
    ///
    /// - Parameters:
    ///   - path: `_local/` and its ID, percent-encoded.
    ///   - credentials: the client's own; `nil` if it sent none, so that none are sent there either.
    ///   - mayRest: whether the last answer will do for a while. Not so for a client that asks when it begins and never else: it may have been on
    ///     upstream a moment ago.
    public func fetch(_ path: String, with credentials: UpstreamLogin.Credentials?, mayRest: Bool) async -> Answer {
        let now = clock.seconds
        guard !mayRest || state.withLock({ ($0.asked[path] ?? 0) <= now }) else { return .known }
        do {
            let headers = try credentials.map { [try UpstreamVerifier.header($0, cookieName: cookieName)] } ?? []
            let response = try await client.send(
                .get(database.appending("/" + path), headers: headers + VerificationRequest.Header.trail))
            guard response.status != Self.loopDetected else { return .loop }
            guard !response.isFailure else { return noteOutage(now) }
            state.withLock { state in
                state.downSince = nil
                if state.asked.count >= Self.maximumAsked { state.asked = state.asked.filter { $0.value > now } }
                if state.asked.count < Self.maximumAsked { state.asked[path] = now + Self.rest }
            }
            return response.status == 200 ? .found(response.body) : .missing
        } catch {
            return (error as? LoginError)?.code == .unavailable ? noteOutage(now) : .missing
        }
    }

    /// Notes that a device waits for the pull.
    ///
    /// - Parameter pulled: up to which number it has come.
    /// - Returns: whether the device is to go on waiting: as long as the pull makes progress, and not for ever.
    func recordLag(_ pulled: Int64) -> Bool {
        let now = clock.seconds
        let since = state.withLock { state in
            if let behind = state.behind, behind.pulled == pulled { return behind.since }
            state.behind = (pulled, now)
            return now
        }
        return now - since < Self.patience
    }

    func noteOutage(_ now: Int64) -> Answer {
        let since = state.withLock { state in
            let since = state.downSince ?? now
            state.downSince = since
            return since
        }
        return now - since < Self.patience ? .unavailable : .lost
    }
}
