package import Access
import Coordination
import Crypto
import Documents

/// Checks a Persona assertion with a verifier (the BrowserID remote verification API), and validates the verifier's reply.
package final class PersonaVerifier: TokenVerifier {
    private let configuration: PersonaConfiguration
    private let client: VerificationClient
    private let clock: AccessClock
    private let replays = Lock(AssertionReplayCache())

    package init(_ configuration: PersonaConfiguration, client: VerificationClient, clock: AccessClock = .system) {
        self.configuration = configuration
        self.client = client
        self.clock = clock
    }

    package var authenticator: AuthenticatorKind { .persona }

    package func verify(_ assertion: Secret) async throws(LoginError) -> VerifiedIdentity {
        guard TokenText.isPlausible(assertion) else { throw LoginError(.malformed, "The Persona assertion is empty or malformed") }
        let response = try await client.send(
            .post(
                configuration.verifier,
                [(name: "assertion", value: assertion.revealed), (name: "audience", value: configuration.audience)]))
        guard !response.isFailure else { throw LoginError(.unavailable, "Persona verifier status \(response.status)") }
        guard response.status < 300 else { throw LoginError(.refused, "Persona verifier status \(response.status)") }
        let now = clock.seconds
        let answer = try PersonaAnswer(try response.object(of: "The Persona verifier"), for: configuration, now: now)
        guard let userName = LoginName(answer.email) else {
            throw LoginError(.refused, "The e-mail address of the Persona assertion is not a valid user name")
        }
        let digest = Array(SHA256.hash(data: Array(assertion.revealed.utf8)))
        guard replays.withLock({ $0.use(digest, expires: answer.expires, reuse: configuration.reuse, now: now) }) else {
            throw LoginError(.refused, "The Persona assertion was used before")
        }
        // The assertion expires in minutes. The session does not end with it.
        var identity = VerifiedIdentity(authenticator: authenticator, userName: userName, subject: answer.email)
        identity.email = answer.email
        identity.isEmailVerified = true
        identity.mayMatchEmail = true
        identity.mayRegister = configuration.registers
        return identity
    }
}

/// The configuration of Persona (BrowserID) logins. Mozilla's verifier no longer exists; some teams run their own.
package struct PersonaConfiguration: Hashable, Sendable {
    package var verifier: VerificationEndpoint

    /// The origin that assertions have to be made for, such as `https://app.example.com`.
    package var audience: String

    /// The accepted issuers of assertions, in addition to the domain of the email itself. If empty, the verifier decides.
    package var issuers: Set<String> = []

    /// The accepted lag of the verifier's clock behind ours, in seconds.
    package var clockSkew: Int64 = 60

    /// The time after its first use during which an assertion may be used again, in seconds: the two replications of a pair present the same
    /// assertion.
    package var reuse: Int64 = 60

    /// Whether a new user, named by the address, is created at the first login.
    package var registers = false

    package init(verifier: VerificationEndpoint, audience: String) {
        self.verifier = verifier
        self.audience = audience
    }
}

/// A Persona verifier's accepted reply to an assertion.
struct PersonaAnswer {
    let email: String

    /// In seconds since 1970, including the clock skew.
    let expires: Int64

    /// - Parameters:
    ///   - answer: The verifier's reply: `status`, `email`, `audience`, `expires` in milliseconds since 1970, `issuer`.
    ///   - now: In seconds since 1970.
    /// - Throws: ``LoginError`` `refused`, or `unavailable` if the verifier accepts the assertion but its reply is incomplete.
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
            throw LoginError(.refused, "The Persona assertion was issued by another issuer")
        }
        let expires = Int64(milliseconds / 1000)
        guard now < expires + configuration.clockSkew else { throw LoginError(.refused, "The Persona assertion has expired") }
        self.email = email
        self.expires = expires + configuration.clockSkew
    }

    /// The normalised origin: without case, default port and trailing slash.
    static func origin(_ text: String) -> String {
        var origin = text.lowercased()
        if origin.hasSuffix("/") { origin.removeLast() }
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")] where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            origin.removeLast(port.count)
        }
        return origin
    }
}

/// The accepted assertions, so that a stolen assertion cannot be used later.
struct AssertionReplayCache {
    /// The limit of stored assertions. Above it, the ones that expire first are removed.
    static let maximumCount = 10_000

    private var firstUses: [[UInt8]: (time: Int64, expires: Int64)] = [:]

    /// Records a use.
    ///
    /// - Returns: Whether it is the first use, or within the allowed time after it.
    mutating func use(_ digest: [UInt8], expires: Int64, reuse: Int64, now: Int64) -> Bool {
        if let first = firstUses[digest] { return now - first.time <= reuse }
        if firstUses.count >= Self.maximumCount { makeRoom(now) }
        firstUses[digest] = (now, expires)
        return true
    }

    private mutating func makeRoom(_ now: Int64) {
        firstUses = firstUses.filter { $0.value.expires > now }
        guard firstUses.count >= Self.maximumCount else { return }
        for (digest, _) in firstUses.sorted(by: { $0.value.expires < $1.value.expires }).prefix(Self.maximumCount / 10) {
            firstUses[digest] = nil
        }
    }
}
