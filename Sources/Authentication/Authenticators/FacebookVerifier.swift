package import Access
import Crypto
import Documents

/// Checks a Facebook access token with the Graph API: its user, and the app that it was issued to.
///
/// Sync Gateway omits the check of the app. There, a token that any other app got from a user opens the user's account.
package struct FacebookVerifier: TokenVerifier {
    private static let name = "Facebook"
    private let configuration: FacebookConfiguration
    private let client: VerificationClient

    package init(_ configuration: FacebookConfiguration, client: VerificationClient) {
        self.configuration = configuration
        self.client = client
    }

    package var authenticator: AuthenticatorKind { .facebook }

    package func verify(_ token: Secret) async throws(LoginError) -> VerifiedIdentity {
        guard TokenText.isPlausible(token) else { throw LoginError(.malformed, "The Facebook access token is empty or malformed") }
        try await checkApp(of: token)
        let profile = try await ask("/me", fields: "id,name,email", token)
        guard let id = profile["id"]?.string, let userName = LoginName(id) else {
            throw LoginError(.unavailable, "Facebook's answer has no usable ID")
        }
        var identity = VerifiedIdentity(authenticator: authenticator, userName: userName, subject: id)
        identity.email = profile["email"]?.string
        identity.isEmailVerified = configuration.matchesEmail && identity.email != nil
        identity.mayMatchEmail = configuration.matchesEmail
        identity.mayRegister = configuration.registers
        return identity
    }

    private func checkApp(of token: Secret) async throws(LoginError) {
        guard case .only(let apps) = configuration.apps else { return }
        let app = try await ask("/app", fields: "id", token)
        guard let id = app["id"]?.string else { throw LoginError(.unavailable, "Facebook's answer does not name the token's app") }
        guard apps.contains(id) else { throw LoginError(.refused, "The Facebook access token was issued to another app") }
    }

    private func ask(_ path: String, fields: String, _ token: Secret) async throws(LoginError) -> JSONValue {
        var query = [(name: "fields", value: fields)]
        if let secret = configuration.appSecret { query.append((name: "appsecret_proof", value: Self.proof(of: token, with: secret))) }
        let response = try await client.send(.get(configuration.graph.appending(path).appending(query: query), headers: [.bearer(token)]))
        guard !response.isFailure else { throw LoginError(.unavailable, "Facebook verification server status \(response.status)") }
        let answer = try response.object(of: Self.name)
        guard response.status < 300 else {
            // Graph also replies with 400 to its own failures.
            guard !Self.isTransient(answer) else { throw LoginError(.unavailable, "Facebook cannot check tokens at the moment") }
            throw LoginError(.refused, "Facebook verification server status \(response.status)")
        }
        return answer
    }

    /// Whether an error is a temporary failure of Graph: marked as transient, or an unknown error, a service that is down, or a rate limit.
    private static func isTransient(_ answer: JSONValue) -> Bool {
        guard let error = answer["error"] else { return false }
        return error["is_transient"]?.bool == true || error["code"]?.int.map { [1, 2, 4, 17, 32, 341, 613].contains($0) } == true
    }

    private static func proof(of token: Secret, with secret: Secret) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(token.revealed.utf8), using: SymmetricKey(data: Array(secret.revealed.utf8)))
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: code.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// The configuration of Facebook logins.
package struct FacebookConfiguration: Hashable, Sendable {
    /// The apps whose tokens are accepted.
    package enum Apps: Hashable, Sendable {
        /// Tokens issued to one of these apps.
        case only(Set<String>)
        /// Tokens of all apps, as in Sync Gateway. The operator of any app that our users log in to can then log in as them.
        case any
    }

    package var apps: Apps

    /// The Graph API. The path may contain a version.
    package var graph: VerificationEndpoint

    /// The secret for `appsecret_proof`, which proves to Graph that a call comes from the app's own server. Needed if the app requires it.
    package var appSecret: Secret?

    /// Whether a new user is created at the first login.
    package var registers = false

    /// Whether the profile's email may match an existing user if no user has the Facebook ID as a name. Graph does not report whether the email was
    /// confirmed, so the operator decides whether to trust it.
    package var matchesEmail = false

    package init(apps: Apps, graph: VerificationEndpoint) {
        self.apps = apps
        self.graph = graph
    }
}
