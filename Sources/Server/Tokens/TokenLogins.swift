import Access
import BridgeConfiguration
import Documents
import HTTP
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// Logs users of one database in by tokens (docs/protocol/legacy-1x.md#token-logins, docs/protocol/legacy-1x.md#openid-connect): hears what a
/// client presents, has it verified, finds the user and has a session made.
struct TokenLogins: Sendable {
    /// The database's name, which is its path.
    let database: String
    let authenticators: Authenticators
    let directory: any AccountDirectory
    let sessions: any SessionIssuer
    let clock: AccessClock

    /// Whether a 401 asks for Basic credentials.
    let sendsChallenge: Bool

    /// Which pages of other origins may log somebody in.
    var cors = CrossOriginPolicy()

    /// Where logins are counted that are not accepted.
    var counts: LoginCounts?
    let logger: Logger

    /// Answers a request of one of the endpoints; one that is not configured is not there.
    func respond(to request: Request, at endpoint: TokenEndpoint, target: RequestTarget, info: RequestInfo) async -> Response {
        guard isConfigured(endpoint) else { return ServerAnswer.unknownURL }
        guard request.method == endpoint.method else { return ServerAnswer.methodNotAllowed(endpoint.method.rawValue) }
        do {
            try refuseOtherOrigins(request)
            switch endpoint {
            case .facebook, .persona, .google: return try await logIn(request, at: endpoint, info)
            case .oidc, .challenge: return try await begin(request, at: endpoint, target.query, info)
            case .callback: return try await finish(request, target.query, info)
            case .refresh: return try await refresh(target.query, info)
            }
        } catch {
            if let error = error as? LoginError { note(error, endpoint.rawValue, info) }
            return AccessAnswer(sendsChallenge: sendsChallenge, logger: logger, counts: counts).response(to: error)
        }
    }

    /// The user that an identity is.
    func match(_ identity: VerifiedIdentity) async throws -> AccountMatch {
        try await AccountMatch.find(identity, in: directory, logger: logger)
    }

    /// Writes down that somebody could not be logged in. There is nothing of what was presented in it.
    func note(_ error: LoginError, _ how: String, _ info: RequestInfo) {
        let level: Logger.Level = error.code == .refused || error.code == .malformed ? .info : .warning
        logger.log(
            level: level, "a login was not accepted",
            metadata: ["how": "\(how)", "reason": "\(error)", "address": "\(info.remoteAddress?.ipAddress ?? "unknown")"])
    }

    func sessionHeaders(_ session: IssuedSession) -> HTTPFields {
        [.setCookie: session.cookie.rendered, .cacheControl: "no-store"]
    }

    private func isConfigured(_ endpoint: TokenEndpoint) -> Bool {
        switch endpoint {
        case .facebook: authenticators.facebook != nil
        case .persona: authenticators.persona != nil
        case .google: authenticators.google != nil
        case .oidc, .challenge, .callback, .refresh: authenticators.oidc != nil
        }
    }

    private func logIn(_ request: Request, at endpoint: TokenEndpoint, _ info: RequestInfo) async throws -> Response {
        // Couchbase Lite for Java compresses bodies from 100 bytes on.
        let limit = LoginToken.maximumBodySize
        let body = try await request.decompressed(maximumSize: limit).bytes(upTo: limit)
        guard let identity = try await verify(body, at: endpoint) else { throw LoginError(.malformed, "unknown URL") }
        let session = try await sessions.issueSession(for: try await match(identity), info)
        return ServerAnswer.json(.ok, session.body, headers: sessionHeaders(session))
    }

    private func verify(_ body: [UInt8], at endpoint: TokenEndpoint) async throws(LoginError) -> VerifiedIdentity? {
        switch endpoint {
        case .facebook: try await authenticators.facebook?.verify(try LoginToken.read(body, "access_token"))
        // Couchbase Lite for .NET names the assertion as it does Facebook's token.
        case .persona: try await authenticators.persona?.verify(try LoginToken.read(body, "assertion", "access_token", mayBeBare: true))
        case .google: try await authenticators.google?.verify(try LoginToken.read(body, "id_token"))
        default: nil
        }
    }

    /// A page of another site must not log its visitors in as somebody else.
    private func refuseOtherOrigins(_ request: Request) throws(LoginError) {
        guard let origin = request.foreignOrigin, !cors.allowsLogin(from: origin) else { return }
        throw LoginError(.malformed, "No CORS")
    }
}

/// Where clients log in with tokens, by the segment after the database.
enum TokenEndpoint: String, CaseIterable, Sendable {
    case facebook = "_facebook"
    case persona = "_persona"
    case google = "_google"
    case oidc = "_oidc"
    case challenge = "_oidc_challenge"
    case callback = "_oidc_callback"
    case refresh = "_oidc_refresh"

    /// The one method that it has.
    var method: HTTPRequest.Method {
        switch self {
        case .facebook, .persona, .google: .post
        case .oidc, .challenge, .callback, .refresh: .get
        }
    }
}

/// The token in the body of a login.
enum LoginToken {
    /// The most bytes of such a body.
    static let maximumBodySize = 64 * 1024

    /// - Parameters:
    ///   - body: a JSON object. Members besides the token's are passed over: old clients send their e-mail address and URL, too
    ///     (docs/protocol/legacy-1x.md#token-logins).
    ///   - keys: the names that the token's member may have; the first one that is there counts.
    ///   - mayBeBare: whether the body may be the token alone, a JSON string, as iOS sends a Persona assertion.
    /// - Throws: ``LoginError`` `malformed`.
    static func read(_ body: [UInt8], _ keys: String..., mayBeBare: Bool = false) throws(LoginError) -> Secret {
        guard let value = try? JSONValue(body, maximumDepth: 8) else { throw LoginError(.malformed, "The body is no JSON") }
        if mayBeBare, let text = value.string { return Secret(text) }
        guard let text = keys.lazy.compactMap({ value[$0]?.string }).first, !text.isEmpty else {
            throw LoginError(.malformed, "The body lacks `\(keys.first ?? "")`")
        }
        return Secret(text)
    }
}
