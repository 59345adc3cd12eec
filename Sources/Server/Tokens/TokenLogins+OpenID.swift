import Access
import Authentication
import BridgeConfiguration
import Documents
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore

extension TokenLogins {
    /// Sync Gateway's name for the cookie that binds the callback to the start of the login.
    private static let stateCookie = "sg-oidc-state"

    /// How long a user has to log in, in seconds.
    private static let stateLifetime: Int64 = 300

    private func flow(_ query: Query) throws(LoginError) -> OpenIDFlow {
        guard let flow = try authenticators.oidc?.flow(with: query["provider"].flatMap { $0.isEmpty ? nil : $0 }) else {
            throw LoginError(.malformed, "OpenID Connect not configured for database \(database)")
        }
        return flow
    }

    /// Starts a login. `_oidc` redirects a browser to the provider; `_oidc_challenge` gives the provider's URL in a 401.
    ///
    /// Couchbase Lite for Java reads only the first parameter after a scheme, so the challenge has only `login`.
    func begin(_ request: Request, at endpoint: TokenEndpoint, _ query: Query, _ info: RequestInfo) async throws -> Response {
        let challenge = try await flow(query).begin(
            isOffline: (try? query.bool("offline")) == true, callback: callback(request, query, info))
        var headers: HTTPFields = [.cacheControl: "no-store"]
        if let state = challenge.state {
            headers[.setCookie] =
                SetCookie(
                    name: Self.stateCookie, value: state, path: "/\(database)", expires: clock.seconds + Self.stateLifetime,
                    isSecure: info.isSecure,
                    sameSite: .lax)?.rendered
        }
        guard endpoint == .challenge else {
            headers[.location] = challenge.loginURL
            return Response(status: .found, headers: headers)
        }
        headers[AccessAnswer.challengeName] = #"OIDC login="\#(challenge.loginURL)""#
        return ServerAnswer.error(.unauthorized, "Unauthorized", "Login Required", headers: headers)
    }

    func finish(_ request: Request, _ query: Query, _ info: RequestInfo) async throws -> Response {
        guard !query.contains("error") else { throw LoginError(.refused, "oidc_callback received an error from the provider") }
        let cookies = CookieHeader(request.headers[values: .cookie])
        let tokens = try await flow(query).finish(
            code: Secret(query["code"] ?? ""), state: query["state"], cookie: cookies[Self.stateCookie],
            callback: callback(request, query, info))
        return try await answer(tokens, hasRefreshToken: true, info)
    }

    func refresh(_ query: Query, _ info: RequestInfo) async throws -> Response {
        let tokens = try await flow(query).refresh(Secret(query["refresh_token"] ?? ""))
        return try await answer(tokens, hasRefreshToken: false, info)
    }

    private func answer(_ tokens: OpenIDTokens, hasRefreshToken: Bool, _ info: RequestInfo) async throws -> Response {
        let match = try await match(tokens.identity)
        let session = try await sessions.issueSession(for: match, info)
        var members = [JSONMember("id_token", .string(tokens.idToken.revealed))]
        if hasRefreshToken, let token = tokens.refreshToken { members.append(JSONMember("refresh_token", .string(token.revealed))) }
        members.append(JSONMember("session_id", .string(session.id)))
        members.append(JSONMember("name", .string(match.userName)))
        if let token = tokens.accessToken { members.append(JSONMember("access_token", .string(token.revealed))) }
        if let type = tokens.tokenType { members.append(JSONMember("token_type", .string(type))) }
        if let seconds = tokens.expiresIn { members.append(JSONMember("expires_in", .number("\(seconds)"))) }
        var body: [UInt8] = []
        JSONValue.object(members).append(to: &body)
        return ServerAnswer.json(.ok, body, headers: sessionHeaders(session))
    }

    /// The URL to which the provider redirects the browser: this server, under the host name that the client uses. The default provider's
    /// registered URL has no parameter.
    private func callback(_ request: Request, _ query: Query, _ info: RequestInfo) -> String {
        let named = query["provider"].flatMap { $0.isEmpty || authenticators.oidc?.isDefault($0) == true ? nil : $0 }
        let provider = named.map { "?provider=\(PercentEncoding.encodeQueryComponent($0))" } ?? ""
        return "\(info.isSecure ? "https" : "http")://\(request.head.authority ?? "localhost")/\(database)/_oidc_callback\(provider)"
    }
}
