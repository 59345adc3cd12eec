package import Authentication
import Coordination
package import Gateway
import HTTP
package import HTTPListener
import HTTPTypes
package import HummingbirdCore
package import LegacyProtocol
package import Logging

/// The server side of the 1.x HTTP replication protocol: all paths below a keyspace.
///
/// The caller determines the keyspace and the client, and decompresses the request. It adds the `Server` header and compresses responses.
package struct LegacyListener: Sendable {
    let logger: Logger
    private let current: CurrentLimits
    private let openFeeds: OpenFeeds
    private let rates: RequestRates
    private let largeAnswers = LargeAnswers()

    package init(limits: LegacyLimits = LegacyLimits(), logger: Logger = Logger(label: "dualgauge.legacy")) {
        current = CurrentLimits(limits)
        openFeeds = OpenFeeds(limit: limits.openFeeds)
        rates = RequestRates(rate: limits.requestRate)
        self.logger = logger
    }

    package var limits: LegacyLimits { current.limits }

    /// Replaces the limits. They apply to the next request; open feeds continue.
    package func change(_ limits: LegacyLimits) {
        current.limits = limits
        openFeeds.change(limit: limits.openFeeds)
        rates.change(rate: limits.requestRate)
    }

    /// Responds to a request. Errors are converted to responses.
    ///
    /// The response of a feed ends when its task is cancelled, or when a write to the client fails.
    ///
    /// - Parameters:
    ///   - match: The resource that the target names below the keyspace.
    ///   - keyspace: The keyspace that the path names.
    ///   - caller: The client; its access to the keyspace was already checked.
    ///   - info: Further context of the request; its `shutdown` ends feeds.
    ///   - upstream: The checkpoints of the server from which clients are repointed. They are requested with the client's own credentials.
    package func respond(
        to request: Request, at match: LegacyMatch, in keyspace: Keyspace, caller: LegacyCaller, info: RequestInfo = RequestInfo(),
        upstream: UpstreamCheckpoints? = nil
    ) async -> Response {
        let response = await answer(to: request, match, keyspace, caller, info, upstream)
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// The response to `OPTIONS`, which needs no login (docs/protocol/legacy-1x.md#http): the methods of the path.
    package static func options(_ match: LegacyMatch) -> Response {
        refusal(of: .options, allow: match.routes?.allow ?? "")
    }

    private func answer(
        to request: Request, _ match: LegacyMatch, _ keyspace: Keyspace, _ caller: LegacyCaller, _ info: RequestInfo,
        _ upstream: UpstreamCheckpoints?
    ) async -> Response {
        let visitor = Visitor(of: keyspace, request, info)
        do {
            let identity = ClientIdentity(keyspace, info)
            if let identity { try rates.count(identity) }
            guard let path = match.path, let routes = match.routes else { throw LegacyError.unknownURL }
            guard let route = routes[request.method] else { return Self.refusal(of: request.method, allow: routes.allow) }
            guard route.audience == .everyone || caller.isAdministrator else { throw LegacyError(.forbidden, "forbidden") }
            let call = LegacyCall(
                request: request, query: match.query, path: path, keyspace: keyspace, caller: caller, limits: limits,
                identity: identity, openFeeds: openFeeds, visitor: visitor, shutdown: info.shutdown, memory: info.memory.share(),
                account: info.memory, largeAnswers: largeAnswers, logger: logger, upstream: upstream)
            let response = try await route.handler(call)
            // A health check requests only the keyspace itself, and a refused request does not count as use.
            if let visitor, path != .keyspace || request.method == .post, response.status.code < 400 {
                keyspace.database.visits.note(visitor)
            }
            return response
        } catch {
            return answer(to: error, match.path, in: keyspace, request)
        }
    }

    private func answer(to error: any Error, _ path: LegacyPath?, in keyspace: Keyspace, _ request: Request) -> Response {
        let translated = LegacyError(translating: error)
        if translated.code == .tooManyRequests { return refusal(of: request, path, because: translated) }
        if translated.code.status.code >= 500, translated.code != .unsupported, !(error is CancellationError) {
            logger.error("Answered with an error", metadata: ["keyspace": "\(keyspace.name)", "error": "\(translated)"])
        }
        if translated.code.status.code >= 500, path == .endpoint("_changes"), translated.code != .unsupported,
            RefusedClient(request)?.readsErrorAsFeed != false
        {
            return NormalFeed.broken(by: translated)
        }
        var response = translated.response
        if translated.code == .unavailable { response.headers[.retryAfter] = String(limits.retryAfter) }
        return response
    }

    /// Converts a refusal by another module to a response that the client interprets correctly.
    package static func readable(_ refusal: Response, of request: Request, endpoint: String) -> Response {
        guard refusal.status.code >= 500 || refusal.status == .tooManyRequests, let reader = RefusedClient(request) else { return refusal }
        if endpoint == "_changes", reader.readsErrorAsFeed {
            return NormalFeed.broken(by: LegacyError(.unavailable, "The feed cannot be read now; try again later"))
        }
        guard refusal.status == .tooManyRequests else { return refusal }
        var response = refusal
        response.status = .serviceUnavailable
        return response
    }

    /// Responds that the client should retry later.
    private func refusal(of request: Request, _ path: LegacyPath?, because error: LegacyError) -> Response {
        let reader = RefusedClient(request)
        let error = reader == nil ? error : LegacyError(.unavailable, error.reason)
        if path == .endpoint("_changes"), reader?.readsErrorAsFeed == true { return NormalFeed.broken(by: error) }
        var response = error.response
        response.headers[.retryAfter] = String(limits.retryAfter)
        return response
    }

    private static func refusal(of method: HTTPRequest.Method, allow: String) -> Response {
        var response = method == .options ? Response(status: .noContent) : LegacyError(.methodNotAllowed, "").response
        response.headers[.allow] = allow
        return response
    }
}

/// How a Couchbase Lite 1.x client interprets a refusal. It stops permanently at 429, and retries after 503.
struct RefusedClient {
    /// Whether the client parses the body of a feed's 5xx as the feed, finds no rows, and treats a one-shot pull as finished. Such a client gets
    /// a feed that breaks off instead, which it retries. Java does so; iOS and macOS read the status, and would retry without delay after a
    /// broken feed (CBLSocketChangeTracker.m). The status suffices for a `HEAD`, which has no body.
    let readsErrorAsFeed: Bool

    /// - Returns: `nil` for other clients.
    init?(_ request: Request) {
        guard let agent = request.headers[.userAgent], agent.utf8.starts(with: "CouchbaseLite".utf8) else { return nil }
        let readsStatus = agent.contains("(iOS") || agent.contains("(Mac OS X")
        readsErrorAsFeed = !readsStatus && !request.wantsWebSocket && request.method != .head
    }
}

/// The current limits, shared by all requests.
final class CurrentLimits: Sendable {
    private let state: Lock<LegacyLimits>

    init(_ limits: LegacyLimits) {
        state = Lock(limits)
    }

    var limits: LegacyLimits {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
