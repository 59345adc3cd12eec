import Access
import BridgeConfiguration
import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Names and passwords: checked here, and at the legacy upstream where nobody here can be meant.
struct PasswordLogin: Sendable {
    let accounts: TokenAccounts

    /// Who knows how to ask upstream; `nil` if nobody is to be asked.
    let tokens: TokenLogins?

    /// Follows the channels and roles of upstream's users; `nil` without an upstream.
    let follower: UpstreamFollower?

    /// The user of this name and password.
    ///
    /// - Throws: `AccessError` as the checker of passwords does, `LoginError` as upstream's does.
    func login(name: String, password: String, _ info: RequestInfo) async throws -> User {
        if let tokens, try await isForUpstream(name),
            let match = try await tokens.upstream(.basic(user: name, password: Secret(password)), info)
        {
            let user = try await accounts.admit(match)
            follower?.recordFirstLogin(of: user.name)
            return user
        }
        let user = try await accounts.passwords.login(name: name, password: password, address: info.clientAddress)
        follower?.noteLogin(of: user, with: .basic(user: name, password: Secret(password)))
        return user
    }

    /// Only whoever is unknown here, or was brought here by upstream's session and has no password yet. Who fails to log in here is not tried
    /// elsewhere.
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
        // Sync Gateway, too, takes empty credentials for none.
        if credentials.user.isEmpty, credentials.password.isEmpty { return nil }
        return Login(user: try await passwords.login(name: credentials.user, password: credentials.password, info))
    }
}

extension RequestInfo {
    /// Where a client is, for limits: its IP address without the port.
    var clientAddress: String { remoteAddress?.ipAddress ?? "local" }
}
