import Crypto
import Synchronization

/// Checks a Persona assertion at a verifier (the BrowserID remote verification API), and what the verifier says of it.
public final class PersonaVerifier: TokenVerifier {
    private let configuration: PersonaConfiguration
    private let client: VerificationClient
    private let clock: AccessClock
    private let seen = Mutex(SeenAssertions())

    public init(_ configuration: PersonaConfiguration, client: VerificationClient, clock: AccessClock = .system) {
        self.configuration = configuration
        self.client = client
        self.clock = clock
    }

    public var authenticator: Authenticator { .persona }

    public func verify(_ assertion: Secret) async throws(LoginError) -> VerifiedIdentity {
        guard TokenText.isPlausible(assertion) else { throw LoginError(.malformed, "The Persona assertion is empty or cannot be one") }
        let response = try await client.send(
            .post(
                configuration.verifier,
                [(name: "assertion", value: assertion.revealed), (name: "audience", value: configuration.audience)]))
        guard !response.isFailure else { throw LoginError(.unavailable, "Persona verifier status \(response.status)") }
        guard response.status < 300 else { throw LoginError(.refused, "Persona verifier status \(response.status)") }
        let now = clock.seconds
        let answer = try PersonaAnswer(try response.object(of: "The Persona verifier"), for: configuration, now: now)
        guard let userName = LoginName(answer.email) else {
            throw LoginError(.refused, "The e-mail address of the Persona assertion cannot be a user's name")
        }
        let digest = Array(SHA256.hash(data: Array(assertion.revealed.utf8)))
        guard seen.withLock({ $0.use(digest, expires: answer.expires, reuse: configuration.reuse, now: now) }) else {
            throw LoginError(.refused, "The Persona assertion was used before")
        }
        // The assertion ends in minutes; the session that comes of it need not.
        var identity = VerifiedIdentity(authenticator: authenticator, userName: userName, subject: answer.email)
        identity.email = answer.email
        identity.isEmailVerified = true
        identity.mayMatchEmail = true
        identity.mayRegister = configuration.registers
        return identity
    }
}
