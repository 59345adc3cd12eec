import Documents

/// What a Persona verifier says of an assertion, and whether that will do.
struct PersonaAnswer {
    let email: String

    /// In seconds since 1970, our leeway included.
    let expires: Int64

    /// - Parameters:
    ///   - answer: the verifier's: `status`, `email`, `audience`, `expires` in milliseconds since 1970, `issuer`.
    ///   - now: in seconds since 1970.
    /// - Throws: ``LoginError`` `refused`, or `unavailable` if the verifier vouches without saying for what.
    init(_ answer: JSONValue, for configuration: PersonaConfiguration, now: Int64) throws(LoginError) {
        guard let status = answer["status"]?.string else { throw LoginError(.unavailable, "The Persona verifier's answer has no status") }
        guard status == "okay" else { throw LoginError(.refused, "The Persona verifier does not accept the assertion") }
        guard let email = answer["email"]?.string, let audience = answer["audience"]?.string, let issuer = answer["issuer"]?.string,
            !issuer.isEmpty, let milliseconds = answer["expires"]?.double, milliseconds > 0, milliseconds < 1e16
        else { throw LoginError(.unavailable, "The Persona verifier's answer lacks the address, audience, issuer or expiry") }
        guard Self.origin(audience) == Self.origin(configuration.audience) else {
            throw LoginError(.refused, "The Persona assertion was made for another audience")
        }
        let domain = email.split(separator: "@").last.map { $0.lowercased() }
        guard configuration.issuers.isEmpty || configuration.issuers.contains(issuer) || issuer == domain else {
            throw LoginError(.refused, "The Persona assertion was issued by somebody else")
        }
        let expires = Int64(milliseconds / 1000)
        guard now < expires + configuration.clockSkew else { throw LoginError(.refused, "The Persona assertion has expired") }
        self.email = email
        self.expires = expires + configuration.clockSkew
    }

    /// Without what makes no difference: case, the default port, a slash at the end.
    static func origin(_ text: String) -> String {
        var origin = text.lowercased()
        if origin.hasSuffix("/") { origin.removeLast() }
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")] where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            origin.removeLast(port.count)
        }
        return origin
    }
}
