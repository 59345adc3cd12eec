import Crypto
public import Documents
import Foundation
import HTTP

/// How a replication authenticates: Couchbase Lite 1.x's authenticators.
///
/// All except OAuth log in once and then use the session's cookie. When the server answers 401 because the session has ended, they log in once
/// more.
public struct ReplicationAuthenticator: Sendable {
    enum Method: Sendable {
        /// Name and password, exchanged for a session. Servers without sessions get them with each request.
        case basic(name: String, password: String)
        /// A token that is posted to a path below the database.
        case token(path: String, @Sendable () async throws -> JSONValue)
        /// A login at an OpenID Connect provider.
        case openID(OpenIDLogin)
        /// A signature on each request.
        case oauth(OAuth1Credentials)
    }

    let method: Method

    /// The user name; `nil` where only the server knows the user.
    var login: String? {
        if case .basic(let name, _) = method { name } else { nil }
    }

    /// A user's name and password. Prefer this to credentials in the URL, which are sent with every request.
    public static func basicAuthenticator(name: String, password: String) -> ReplicationAuthenticator {
        ReplicationAuthenticator(method: .basic(name: name, password: password))
    }

    /// A Facebook access token.
    public static func facebookAuthenticator(token: String) -> ReplicationAuthenticator {
        facebookAuthenticator { token }
    }

    /// Facebook access tokens: the provider is called at each login. It should not return a token again that the server has refused.
    public static func facebookAuthenticator(
        provider: @escaping @Sendable () async throws -> String
    ) -> ReplicationAuthenticator {
        tokenAuthenticator(path: "_facebook") { .object([JSONMember("access_token", .string(try await provider()))]) }
    }

    /// A Persona assertion.
    public static func personaAuthenticator(assertion: String) -> ReplicationAuthenticator {
        personaAuthenticator { assertion }
    }

    /// Persona assertions: the provider is called at each login.
    public static func personaAuthenticator(
        provider: @escaping @Sendable () async throws -> String
    ) -> ReplicationAuthenticator {
        tokenAuthenticator(path: "_persona") { .object([JSONMember("assertion", .string(try await provider()))]) }
    }

    /// Any token that the server accepts at its own path, such as `_google`.
    ///
    /// - Parameters:
    ///   - path: Relative to the database's URL, without a leading slash.
    ///   - provider: Makes the object to post.
    public static func tokenAuthenticator(
        path: String, provider: @escaping @Sendable () async throws -> JSONValue
    ) -> ReplicationAuthenticator {
        ReplicationAuthenticator(method: .token(path: path, provider))
    }

    /// OpenID Connect by the server's own flow (Sync Gateway 1.3 and later): Couchbase Lite 1.4's `OpenIDConnectAuthenticator`.
    ///
    /// The user logs in once. Afterwards the refresh token renews the login, as long as the provider allows.
    ///
    /// - Parameters:
    ///   - tokens: The tokens last passed to `keep`; `nil` if there are none yet.
    ///   - keep: Stores the tokens safely for the next start. Called after each login.
    ///   - logIn: Shows the provider's page at the first URL to the user. The login is complete when the page is redirected to a URL that begins
    ///     with the second one; returns that URL with its query, or `nil` if the user has cancelled.
    public static func openIDConnectAuthenticator(
        tokens: OpenIDConnectTokens? = nil, keep: @escaping @Sendable (OpenIDConnectTokens) async -> Void = { _ in },
        logIn: @escaping @Sendable (_ loginURL: String, _ callbackURL: String) async throws -> String?
    ) -> ReplicationAuthenticator {
        ReplicationAuthenticator(method: .openID(OpenIDLogin(tokens: tokens, keep: keep, logIn: logIn)))
    }

    /// OAuth 1.0 with HMAC-SHA1, which CouchDB 1.x supports.
    public static func oauth1Authenticator(
        consumerKey: String, consumerSecret: String, token: String, tokenSecret: String
    ) -> ReplicationAuthenticator {
        ReplicationAuthenticator(
            method: .oauth(
                OAuth1Credentials(consumerKey: consumerKey, consumerSecret: consumerSecret, token: token, tokenSecret: tokenSecret)))
    }
}

extension ReplicationAuthenticator: CustomStringConvertible, CustomReflectable {
    /// Hides credentials, so that logs do not contain them.
    public var description: String { "ReplicationAuthenticator" }

    /// Hides credentials, so that dumps do not contain them.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// Signs requests by OAuth 1.0 (RFC 5849) with HMAC-SHA1.
struct OAuth1Credentials: Sendable {
    let consumerKey: String
    let consumerSecret: String
    let token: String
    let tokenSecret: String

    /// The value of the `Authorization` header.
    ///
    /// - Parameters:
    /// Including its query.
    ///   - timestamp: In seconds since 1970.
    ///   - nonce: Never used before with this timestamp.
    func authorization(method: String, url: String, timestamp: Int64, nonce: String) -> String {
        var parameters = [
            ("oauth_consumer_key", consumerKey), ("oauth_nonce", nonce), ("oauth_signature_method", "HMAC-SHA1"),
            ("oauth_timestamp", String(timestamp)), ("oauth_token", token), ("oauth_version", "1.0"),
        ]
        let signature = signature(method: method, url: url, parameters: parameters)
        parameters.append(("oauth_signature", signature))
        return "OAuth " + parameters.map { "\($0.0)=\"\(Self.encode($0.1))\"" }.joined(separator: ", ")
    }

    private func signature(method: String, url: String, parameters: [(String, String)]) -> String {
        let halves = url.split(separator: "?", maxSplits: 1).map(String.init)
        let query = URLComponents(string: url)?.queryItems?.map { ($0.name, $0.value ?? "") } ?? []
        let encoded: [(String, String)] = (parameters + query).map { (Self.encode($0.0), Self.encode($0.1)) }
        let sorted = encoded.sorted { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 < $1.0 }
        let normalized = sorted.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        let base = [method.uppercased(), Self.encode(halves[0]), Self.encode(normalized)].joined(separator: "&")
        let key = SymmetricKey(data: Array("\(Self.encode(consumerSecret))&\(Self.encode(tokenSecret))".utf8))
        return Base64.encode(Array(HMAC<Insecure.SHA1>.authenticationCode(for: Array(base.utf8), using: key)))
    }

    private static func encode(_ text: String) -> String {
        PercentEncoding.encodeQueryComponent(text)
    }
}
