import Access
import Authentication
import BridgeConfiguration
import Documents
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// Logs users of one database in by tokens (docs/protocol/legacy-1x.md#token-logins, docs/protocol/legacy-1x.md#openid-connect).
///
/// Reads the presented token, verifies it, finds the user and creates a session.
struct TokenLogins: Sendable {
    /// The database's name, which is its path.
    let database: String
    let authenticators: Authenticators
    let directory: any AccountDirectory
    let sessions: any SessionIssuer
    let clock: AccessClock

    /// Whether a 401 asks for Basic credentials.
    let sendsChallenge: Bool

    /// The origins whose pages may log a user in.
    var cors = CrossOriginPolicy()

    /// The counter of refused logins.
    var counts: LoginCounts?
    let logger: Logger

    /// Responds to a request to one of the endpoints, which has to be configured.
    func respond(to request: Request, at endpoint: TokenEndpoint, query: Query, info: RequestInfo) async -> Response {
        do {
            try refuseOtherOrigins(request)
            switch endpoint {
            case .facebook, .persona, .google: return try await logIn(request, at: endpoint, info)
            case .oidc, .challenge: return try await begin(request, at: endpoint, query, info)
            case .callback: return try await finish(request, query, info)
            case .refresh: return try await refresh(query, info)
            }
        } catch {
            if let error = error as? LoginError { log(error, endpoint.rawValue, info) }
            return AccessAnswer(sendsChallenge: sendsChallenge, logger: logger, counts: counts).response(to: error)
        }
    }

    /// The local user of a verified identity.
    func match(_ identity: VerifiedIdentity) async throws -> AccountMatch {
        try await AccountMatch.find(identity, in: directory, logger: logger)
    }

    /// Logs a refused login, without anything that the client presented.
    func log(_ error: LoginError, _ how: String, _ info: RequestInfo) {
        let level: Logger.Level = error.code == .refused || error.code == .malformed ? .info : .warning
        logger.log(
            level: level, "a login was not accepted",
            metadata: ["how": "\(how)", "reason": "\(error)", "address": "\(info.remoteAddress?.ipAddress ?? "unknown")"])
    }

    func sessionHeaders(_ session: IssuedSession) -> HTTPFields {
        [.setCookie: session.cookie.rendered, .cacheControl: "no-store"]
    }

    func isConfigured(_ endpoint: TokenEndpoint) -> Bool {
        switch endpoint {
        case .facebook: authenticators.facebook != nil
        case .persona: authenticators.persona != nil
        case .google: authenticators.google != nil
        case .oidc, .challenge, .callback, .refresh: authenticators.oidc != nil
        }
    }

    private func logIn(_ request: Request, at endpoint: TokenEndpoint, _ info: RequestInfo) async throws -> Response {
        // Couchbase Lite for Java compresses bodies of 100 bytes and more.
        let limit = LoginToken.maximumBodySize
        let body = try await request.decompressed(maximumSize: limit).bytes(upTo: limit)
        guard let identity = try await verify(body, at: endpoint) else { throw LoginError(.malformed, "unknown URL") }
        let session = try await sessions.issueSession(for: try await match(identity), info)
        return ServerAnswer.json(.ok, session.body, headers: sessionHeaders(session))
    }

    private func verify(_ body: [UInt8], at endpoint: TokenEndpoint) async throws(LoginError) -> VerifiedIdentity? {
        switch endpoint {
        case .facebook: try await authenticators.facebook?.verify(try LoginToken.read(body, "access_token"))
        // Couchbase Lite for .NET uses the member name of Facebook's token for the assertion.
        case .persona: try await authenticators.persona?.verify(try LoginToken.read(body, "assertion", "access_token", mayBeBare: true))
        case .google: try await authenticators.google?.verify(try LoginToken.read(body, "id_token"))
        default: nil
        }
    }

    /// Prevents login CSRF: a page of another site must not log its visitors in under another account.
    private func refuseOtherOrigins(_ request: Request) throws(LoginError) {
        guard let origin = request.foreignOrigin, !cors.allowsLogin(from: origin) else { return }
        throw LoginError(.malformed, "No CORS")
    }
}

/// The token login endpoints, by the path segment after the database.
enum TokenEndpoint: String, CaseIterable, Sendable {
    case facebook = "_facebook"
    case persona = "_persona"
    case google = "_google"
    case oidc = "_oidc"
    case challenge = "_oidc_challenge"
    case callback = "_oidc_callback"
    case refresh = "_oidc_refresh"

    /// The only method of the endpoint.
    var method: HTTPRequest.Method {
        switch self {
        case .facebook, .persona, .google: .post
        case .oidc, .challenge, .callback, .refresh: .get
        }
    }
}

/// The token in the body of a login.
enum LoginToken {
    /// The largest body of a token login, in bytes.
    static let maximumBodySize = 64 * 1024

    /// - Parameters:
    ///   - body: a JSON object. Other members are ignored: old clients also send their e-mail address and URL
    ///     (docs/protocol/legacy-1x.md#token-logins).
    ///   - keys: the accepted names of the token's member. The first present one is used.
    ///   - mayBeBare: whether the body may be only the token, as a JSON string, as iOS sends a Persona assertion.
    /// - Throws: ``LoginError`` `malformed`.
    static func read(_ body: [UInt8], _ keys: String..., mayBeBare: Bool = false) throws(LoginError) -> Secret {
        guard let value = try? JSONValue(body, maximumDepth: 8) else { throw LoginError(.malformed, "The body is not JSON") }
        if mayBeBare, let text = value.string { return Secret(text) }
        guard let text = keys.lazy.compactMap({ value[$0]?.string }).first, !text.isEmpty else {
            throw LoginError(.malformed, "The body lacks `\(keys.first ?? "")`")
        }
        return Secret(text)
    }
}
