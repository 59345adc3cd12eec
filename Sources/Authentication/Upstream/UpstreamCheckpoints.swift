import Access
import Coordination

/// Fetches `_local/` documents, which are clients' checkpoints, from the legacy upstream with the client's credentials.
///
/// Requests go to the configured database only. Their time, size and number are limited: eight at once, and requests about a user once a minute.
/// Close it with ``close()``.
package final class UpstreamCheckpoints: Sendable {
    /// The result of a fetch.
    package enum Answer: Sendable, Equatable {
        /// The JSON of the document.
        case found([UInt8])
        /// The document does not exist, or is not accessible to this client.
        case missing
        /// The document was fetched recently.
        case known
        /// The request has come back: the bridge is its own upstream, directly or indirectly.
        case loop
        /// Upstream has been unavailable for less than ``outageTimeout``: the client should retry.
        case unavailable
        /// The outage is so long that clients should not wait any more.
        case lost
    }

    private struct State {
        /// The time at which each document may be fetched again, in seconds.
        var asked: [String: Int64] = [:]
        /// The start of the outage.
        var downSince: Int64?
        /// The start of the clients' wait for the pull, and the sequence that the pull has reached.
        var behind: (pulled: Int64, since: Int64)?
    }

    /// The time in seconds during which a client that checks before each write does not fetch again, and the maximum number of stored documents.
    private static let refetchInterval: Int64 = 30
    private static let maximumAsked = 20_000
    private static let loopDetected = 508

    /// The time during which a user's visibility upstream is valid for all of his clients, in seconds.
    private static let lifetime: Int64 = 60

    /// The maximum number of concurrent requests, and of waiting ones. A fleet that reconnects at once loads the legacy server like a few devices.
    private static let concurrency = 8
    private static let waiting = 4_096

    /// The time of an outage during which clients are told to retry, in seconds. After it they restart their feeds, which costs rows and no
    /// documents: the end of the legacy server must not lock the fleet out.
    private static let outageTimeout: Int64 = 600

    /// The database's URL on upstream.
    package let database: VerificationEndpoint

    /// The name of upstream's session cookie.
    package let cookieName: String
    let client: VerificationClient

    /// Caches replies that are the same for all clients of a user.
    let recent: ResponseCache
    let clock: AccessClock
    private let state = Lock(State())

    /// - Parameter authorityFile: A PEM file of certificate authorities that replace the system's.
    package init(
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

    /// Closes all connections.
    package func close() async {
        await client.close()
    }

    /// Fetches a document.
    ///
    /// - Parameters:
    ///   - path: `_local/` and its ID, percent-encoded.
    ///   - credentials: The client's own; `nil` if it sent none. Then the request has none either.
    ///   - mayRest: Whether a recent fetch suffices. `false` for a client that fetches only when it starts: it may have been on upstream a moment
    ///     ago.
    package func fetch(_ path: String, with credentials: UpstreamLogin.Credentials?, mayRest: Bool) async -> Answer {
        let now = clock.uptimeSeconds
        guard !mayRest || state.withLock({ ($0.asked[path] ?? 0) <= now }) else { return .known }
        do {
            let headers = try credentials.map { [try UpstreamVerifier.header($0, cookieName: cookieName)] } ?? []
            let response = try await client.send(
                .get(database.appending("/" + path), headers: headers + VerificationRequest.Header.trail))
            guard response.status != Self.loopDetected else { return .loop }
            guard !response.isFailure else { return recordOutage(now) }
            state.withLock { state in
                state.downSince = nil
                if state.asked.count >= Self.maximumAsked { state.asked = state.asked.filter { $0.value > now } }
                if state.asked.count < Self.maximumAsked { state.asked[path] = now + Self.refetchInterval }
            }
            return response.status == 200 ? .found(response.body) : .missing
        } catch {
            return (error as? LoginError)?.code == .unavailable ? recordOutage(now) : .missing
        }
    }

    /// Records that a client waits for the pull.
    ///
    /// - Parameter pulled: The sequence that the pull has reached.
    /// - Returns: Whether the client should continue to wait: while the pull makes progress, with a time limit.
    func recordLag(_ pulled: Int64) -> Bool {
        let now = clock.uptimeSeconds
        let since = state.withLock { state in
            if let behind = state.behind, behind.pulled == pulled { return behind.since }
            state.behind = (pulled, now)
            return now
        }
        return now - since < Self.outageTimeout
    }

    func recordOutage(_ now: Int64) -> Answer {
        let since = state.withLock { state in
            let since = state.downSince ?? now
            state.downSince = since
            return since
        }
        return now - since < Self.outageTimeout ? .unavailable : .lost
    }
}
