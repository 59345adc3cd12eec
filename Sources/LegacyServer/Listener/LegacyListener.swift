package import Access
package import Gateway
package import HTTP
import HTTPTypes
package import HummingbirdCore
package import LegacyProtocol
package import Logging
import Synchronization

/// The server side of the 1.x HTTP replication protocol: everything behind a keyspace's name.
///
/// The server has found the keyspace, knows who asks, and has undone the request's compression; it adds the `Server` header
/// and compresses answers.
package struct LegacyListener: Sendable {
    let logger: Logger
    private let current: CurrentLimits
    private let openFeeds: OpenFeeds
    private let rates: RequestRates

    package init(limits: LegacyLimits = LegacyLimits(), logger: Logger = Logger(label: "dualgauge.legacy")) {
        current = CurrentLimits(limits)
        openFeeds = OpenFeeds(limit: limits.openFeeds)
        rates = RequestRates(rate: limits.requestRate)
        self.logger = logger
    }

    package var limits: LegacyLimits { current.limits }

    /// Takes other limits: they hold for the next request, and feeds that are open stay so.
    package func change(_ limits: LegacyLimits) {
        current.limits = limits
        openFeeds.change(limit: limits.openFeeds)
        rates.change(rate: limits.requestRate)
    }

    /// Answers a request. What goes wrong becomes an answer, too.
    ///
    /// A feed's answer ends when its task is cancelled, or when a write to the client fails.
    ///
    /// - Parameters:
    ///   - index: the first segment of the path behind the keyspace.
    ///   - keyspace: what the path begins with.
    ///   - caller: who asks; whether he may use the keyspace at all has been decided.
    ///   - info: what the server knows besides; its `shutdown` ends feeds.
    ///   - upstream: the checkpoints of the server that clients come from. They are asked for with the request's own credentials.
    package func respond(
        to request: Request, target: RequestTarget, from index: Int = 1, in keyspace: Keyspace, caller: LegacyCaller,
        info: RequestInfo = RequestInfo(), upstream: UpstreamCheckpoints? = nil
    ) async -> Response {
        let response = await answer(to: request, target, index, keyspace, caller, info, upstream)
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// The answer to `OPTIONS`, which needs no login (docs/protocol/legacy-1x.md#http): what the path takes.
    package static func options(_ target: RequestTarget, from index: Int = 1) -> Response {
        let pattern = LegacyPath(target, from: index)?.pattern
        return refusal(of: .options, allowed: LegacyRoute.table.filter { $0.pattern == pattern }.flatMap(\.methods))
    }

    private func answer(
        to request: Request, _ target: RequestTarget, _ index: Int, _ keyspace: Keyspace, _ caller: LegacyCaller, _ info: RequestInfo,
        _ upstream: UpstreamCheckpoints?
    ) async -> Response {
        let path = LegacyPath(target, from: index)
        let visitor = Visitor(of: keyspace, request, info)
        do {
            let identity = ClientIdentity(keyspace, info)
            if let identity { try rates.count(identity) }
            guard let path else { throw LegacyError.unknownURL }
            let routes = LegacyRoute.table.filter { $0.pattern == path.pattern }
            guard !routes.isEmpty else { throw LegacyError.unknownURL }
            guard let route = routes.first(where: { $0.methods.contains(request.method) }) else {
                return Self.refusal(of: request.method, allowed: routes.flatMap(\.methods))
            }
            guard route.audience == .everyone || caller.isAdministrator else { throw LegacyError(.forbidden, "forbidden") }
            let call = LegacyCall(
                request: request, query: target.query, path: path, keyspace: keyspace, caller: caller, limits: limits,
                identity: identity, openFeeds: openFeeds, visitor: visitor, shutdown: info.shutdown, memory: info.memory.share(),
                logger: logger,
                upstream: upstream)
            let response = try await route.handler(call)
            // A health check asks for the database alone, and what is refused is no use of it.
            if let visitor, path != .keyspace || request.method == .post, response.status.code < 400 {
                keyspace.database.visits.note(visitor)
            }
            return response
        } catch {
            return answer(to: error, path, in: keyspace, request)
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
        return translated.response
    }

    /// The answer as its client can read it, where somebody else has refused the request.
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

    /// Tells a client to come later.
    private func refusal(of request: Request, _ path: LegacyPath?, because error: LegacyError) -> Response {
        let reader = RefusedClient(request)
        let error = reader == nil ? error : LegacyError(.unavailable, error.reason)
        if path == .endpoint("_changes"), reader?.readsErrorAsFeed == true { return NormalFeed.broken(by: error) }
        var response = error.response
        response.headers[.retryAfter] = String(limits.retryAfter)
        return response
    }

    private static func refusal(of method: HTTPRequest.Method, allowed: [HTTPRequest.Method]) -> Response {
        var response = method == .options ? Response(status: .noContent) : LegacyError(.methodNotAllowed, "").response
        response.headers[.allow] = allowed.map(\.rawValue).sorted().joined(separator: ", ")
        return response
    }
}

/// A Couchbase Lite 1.x client whose request is refused: what it makes of the answer. It gives up for good at 429, and comes back after 503.
struct RefusedClient {
    /// Whether the client reads the body of a feed's 5xx as if it were the feed, finds no rows, and takes a one-shot pull for done. It gets a feed
    /// that breaks off instead, which it tries again. Java does so; iOS and macOS read the status, and would come back at once after a broken feed
    /// (CBLSocketChangeTracker.m). A `HEAD` has no body that could break off: its status says it all.
    let readsErrorAsFeed: Bool

    /// - Returns: `nil` for other clients.
    init?(_ request: Request) {
        guard let agent = request.headers[.userAgent], agent.utf8.starts(with: "CouchbaseLite".utf8) else { return nil }
        let readsStatus = agent.contains("(iOS") || agent.contains("(Mac OS X")
        readsErrorAsFeed = !readsStatus && !request.wantsWebSocket && request.method != .head
    }
}

/// The limits that hold now, for all who ask.
final class CurrentLimits: Sendable {
    private let kept: Mutex<LegacyLimits>

    init(_ limits: LegacyLimits) {
        kept = Mutex(limits)
    }

    var limits: LegacyLimits {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}
