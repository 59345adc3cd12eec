import Access
import HTTP
import HummingbirdCore

/// The certificate that a client has shown in the TLS handshake.
struct CertificateLogin: LoginMethod {
    let tokens: TokenLogins
    let accounts: TokenAccounts

    var kind: LoginKind { .certificate }

    func login(_ request: Request, _ info: RequestInfo) async throws -> Login? {
        guard let match = try await tokens.certificate(info) else { return nil }
        return Login(user: try await accounts.admit(match), expires: match.identity.expires)
    }
}
