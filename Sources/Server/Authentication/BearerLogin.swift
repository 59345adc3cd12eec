import Access
import HTTP
import HummingbirdCore

/// `Authorization: Bearer` with an ID token of an OpenID Connect provider.
struct BearerLogin: LoginMethod {
    let tokens: TokenLogins
    let accounts: TokenAccounts

    var kind: LoginKind { .bearer }

    func login(_ request: Request, _ info: RequestInfo) async throws -> Login? {
        guard let match = try await tokens.bearer(request) else { return nil }
        return Login(user: try await accounts.admit(match), expires: match.identity.expires)
    }
}
