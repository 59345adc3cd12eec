import Documents
import Foundation

extension OpenIDConfiguration {
    /// The user's name, as Sync Gateway makes it, so that its users are found again.
    ///
    /// - Throws: ``LoginError`` `refused` if the token gives none, or one that no user can have.
    func userName(for claims: IDTokenClaims) throws(LoginError) -> LoginName {
        let text =
            switch naming {
            case .bareSubject: claims.subject
            case .subject(let prefix): "\(prefix ?? issuerPrefix)_\(FormEncoding.encode(claims.subject))"
            case .claim(let name, let prefix): try Self.prefixed(FormEncoding.encode(try Self.value(of: name, in: claims)), prefix)
            }
        guard let name = LoginName(text) else { throw LoginError(.refused, "The ID token gives a name that no user can have") }
        return name
    }

    private static func prefixed(_ text: String, _ prefix: String?) throws(LoginError) -> String {
        guard !text.isEmpty else { throw LoginError(.refused, "The ID token's user name is empty") }
        return prefix.map { "\($0)_\(text)" } ?? text
    }

    private static func value(of claim: String, in claims: IDTokenClaims) throws(LoginError) -> String {
        switch claims.all[claim] {
        case .string(let text): return text
        case .number(let text): return text
        default: throw LoginError(.refused, "The ID token lacks the claim that users are named by")
        }
    }

    /// Host and path of the issuer. A slash or an underscore would not do in a name, so it is encoded.
    private var issuerPrefix: String {
        guard let url = URLComponents(string: issuer), let host = url.host else { return FormEncoding.encode(name) }
        let port = url.port.map { ":\($0)" } ?? ""
        return FormEncoding.encode(host + port + url.path)
    }
}
