import Access
import BridgeConfiguration
import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOSSL

/// Who is asking, on requests that bring their proof along.
extension TokenLogins {
    /// The user of `Authorization: Bearer` with an ID token, which counts on every request; `nil` if there is none, or nobody to check it.
    ///
    /// - Throws: ``LoginError``, and what the directory throws.
    func bearer(_ request: Request) async throws -> AccountMatch? {
        guard let oidc = authenticators.oidc, let header = request.headers[.authorization] else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return try await match(try await oidc.verify(Secret(String(parts[1].drop { $0 == " " }))))
    }

    /// The user of the certificate that the client showed in the TLS handshake; `nil` if it showed none, or certificates are no logins.
    ///
    /// - Throws: ``LoginError``, and what the directory throws.
    func certificate(_ info: RequestInfo) async throws -> AccountMatch? {
        guard let verifier = authenticators.clientCertificate, let certificate = info.peerCertificate else { return nil }
        return try await match(try await verifier.verify(try certificate.toDERBytes()))
    }

    /// The user of credentials that nobody here knows; `nil` if there is no upstream to be asked. Only for names that no user here has.
    ///
    /// - Throws: ``LoginError``, and what the directory throws.
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
