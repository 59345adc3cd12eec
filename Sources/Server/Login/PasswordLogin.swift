import Access
import Authentication
import BridgeConfiguration
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Checks names and passwords: locally, and at the legacy upstream for users without a local password.
struct PasswordLogin: Sendable {
    let accounts: TokenAccounts

    /// The client of the upstream's verifier; `nil` if upstream is not asked.
    let tokens: TokenLogins?

    /// Updates the channels and roles of upstream's users; `nil` without an upstream.
    let follower: UpstreamFollower?

    /// The user with this name and password.
    ///
    /// - Throws: `AccessError` from the local password check, `LoginError` from upstream's.
    func login(name: String, password: String, _ info: RequestInfo) async throws -> User {
        if let tokens, try await isForUpstream(name),
            let match = try await tokens.upstream(.basic(user: name, password: Secret(password)), info)
        {
            let user = try await accounts.admit(match)
            follower?.recordFirstLogin(of: user.name)
            return user
        }
        let user = try await accounts.passwords.login(name: name, password: password, address: info.clientAddress)
        follower?.recordLogin(of: user, with: .basic(user: name, password: Secret(password)))
        return user
    }

    /// Whether upstream checks the login: only for users that are unknown here, or that upstream's session has created here without a
    /// password. A failed local login is not retried at upstream.
    private func isForUpstream(_ name: String) async throws -> Bool {
        guard let user = try await accounts.accounts.user(name) else { return name != User.guestName }
        return user.isOfUpstream && user.passwordHash == nil && !user.isDisabled
    }
}

/// `Authorization: Basic`. Java and .NET clients send it with every request.
struct BasicLogin: LoginMethod {
    let passwords: PasswordLogin

    var kind: LoginKind { .password }

    func login(_ request: Request, _ info: RequestInfo) async throws -> Login? {
        guard let header = request.headers[.authorization], header.prefix(5).lowercased() == "basic" else { return nil }
        guard let credentials = BasicCredentials(authorization: header) else { throw AccessError(.invalidLogin, "Invalid login") }
        // Like Sync Gateway, treats empty credentials as absent.
        if credentials.user.isEmpty, credentials.password.isEmpty { return nil }
        return Login(user: try await passwords.login(name: credentials.user, password: credentials.password, info))
    }
}

extension RequestInfo {
    /// The client's address for rate limits: its IP address without the port.
    var clientAddress: String { remoteAddress?.ipAddress ?? "local" }
}
