import Access
import Documents

/// The claims of an ID token, validated for this client and the current time (OpenID Connect Core, 3.1.3.7).
struct IDTokenClaims {
    let subject: String

    /// In seconds since 1970.
    let expires: Int64
    let all: JSONValue

    /// The longest subject that OpenID Connect allows.
    private static let maximumSubjectLength = 255

    /// Checks issuer, audience, authorised party, times and nonce.
    ///
    /// - Parameters:
    ///   - claims: The payload of a token.
    ///   - nonce: The required nonce, if the token was requested with one.
    ///   - now: In seconds since 1970.
    /// - Throws: ``LoginError`` `refused`.
    init(_ claims: JSONValue, for configuration: OpenIDConfiguration, nonce: String? = nil, now: Int64) throws(LoginError) {
        guard let issuer = claims["iss"]?.string, configuration.acceptedIssuers.contains(issuer) else {
            throw Self.refused("was issued by another issuer")
        }
        let audiences = Self.audiences(claims)
        guard let audience = audiences.first(where: configuration.clientIDs.contains) else {
            throw Self.refused("was issued for another audience")
        }
        if let party = claims["azp"] {
            guard let party = party.string, configuration.clientIDs.contains(party) else {
                throw Self.refused("was issued to another client")
            }
        } else if audiences.contains(where: { $0 != audience }) {
            throw Self.refused("is for several audiences and does not name its client (`azp`)")
        }
        guard let subject = claims["sub"]?.string, !subject.isEmpty, subject.utf8.count <= Self.maximumSubjectLength else {
            throw Self.refused("has no usable subject")
        }
        guard let expires = Self.time(claims["exp"]) else { throw Self.refused("has no time of expiry") }
        guard now < expires + configuration.clockSkew else { throw Self.refused("has expired") }
        for (name, message) in [("nbf", "is not valid yet"), ("iat", "was issued in the future")] {
            guard let claim = claims[name] else { continue }
            guard let time = Self.time(claim) else { throw Self.refused("has a `\(name)` that is not a time") }
            guard time <= now + configuration.clockSkew else { throw Self.refused(message) }
        }
        if let nonce {
            guard let given = claims["nonce"]?.string, ConstantTime.equal(Array(given.utf8), Array(nonce.utf8)) else {
                throw Self.refused("does not have the nonce of this login")
            }
        }
        self.subject = subject
        self.expires = expires
        all = claims
    }

    /// The strings of a claim whose value is a string or a list of strings.
    func texts(_ name: String) -> Set<String> {
        switch all[name] {
        case .string(let text): [text]
        case .array(let elements): Set(elements.compactMap(\.string))
        default: []
        }
    }

    private static func audiences(_ claims: JSONValue) -> [String] {
        switch claims["aud"] {
        case .string(let text): [text]
        case .array(let elements): elements.compactMap(\.string)
        default: []
        }
    }

    /// Whole seconds. Tokens may contain fractions.
    private static func time(_ value: JSONValue?) -> Int64? {
        guard let seconds = value?.double, seconds >= 0, seconds < 1e12 else { return nil }
        return Int64(seconds)
    }

    private static func refused(_ reason: String) -> LoginError {
        LoginError(.refused, "The ID token \(reason)")
    }
}
