import Access
import Authentication
import BridgeConfiguration
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOSSL

/// The user of requests that include their proof.
extension TokenLogins {
    /// The user of `Authorization: Bearer` with an ID token, which is valid for any request; `nil` without a token or without a provider.
    ///
    /// - Throws: ``LoginError``, and the directory's errors.
    func bearer(_ request: Request) async throws -> AccountMatch? {
        guard let oidc = authenticators.oidc, let header = request.headers[.authorization] else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return try await match(try await oidc.verify(Secret(String(parts[1].drop { $0 == " " }))))
    }

    /// The user of the client certificate of the TLS handshake; `nil` without one, or if certificates are not configured for logins.
    ///
    /// - Throws: ``LoginError``, and the directory's errors.
    func certificate(_ info: RequestInfo) async throws -> AccountMatch? {
        guard let verifier = authenticators.clientCertificate, let certificate = info.peerCertificate else { return nil }
        return try await match(try await verifier.verify(try certificate.toDERBytes()))
    }

    /// The upstream's user of these credentials; `nil` without an upstream. Call it only for names without a local user.
    ///
    /// - Throws: ``LoginError``, and the directory's errors.
    func upstream(_ credentials: UpstreamLogin.Credentials, _ info: RequestInfo) async throws -> AccountMatch? {
        guard let verifier = authenticators.upstream else { return nil }
        return try await match(try await verifier.verify(UpstreamLogin(credentials, from: info.remoteAddress?.ipAddress ?? "unknown")))
    }

    /// The value of the upstream's session cookie, if the request has one.
    func upstreamCookie(_ request: Request) -> UpstreamLogin.Credentials? {
        guard let verifier = authenticators.upstream else { return nil }
        return CookieHeader(request.headers[values: .cookie])[verifier.cookieName].map { .cookie(Secret($0)) }
    }
}

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

/// The client certificate of the TLS handshake.
struct CertificateLogin: LoginMethod {
    let tokens: TokenLogins
    let accounts: TokenAccounts

    var kind: LoginKind { .certificate }

    func login(_ request: Request, _ info: RequestInfo) async throws -> Login? {
        guard let match = try await tokens.certificate(info) else { return nil }
        return Login(user: try await accounts.admit(match), expires: match.identity.expires)
    }
}
