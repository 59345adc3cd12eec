package import Access
import Coordination
import Crypto
import Documents

/// Checks a login with the legacy upstream, so that users keep their passwords.
///
/// Use it only for users that are unknown here. Known users are checked here, and a failed check is final. The identity includes the password,
/// which is hashed and stored so that upstream is not needed again. ``current(_:)`` refreshes the access of a user created by upstream.
package final class UpstreamVerifier: TokenVerifier {
    private struct State {
        var refusals: RefusalCache
        var users: LoginRate<String>
        var addresses: LoginRate<String>
        var total: LoginRate<Bool>
    }

    private let configuration: UpstreamConfiguration
    private let client: VerificationClient
    private let membership: UpstreamMembership.Source?
    private let clock: AccessClock
    private let state: Lock<State>

    /// One attempt for the requests that a client sends side by side, for example the first ones after its device was moved.
    private let attempts = SingleFlight<[UInt8], VerifiedIdentity>()

    /// The key of the digests, without which digests of credentials are useless to an attacker.
    private let digestKey = SymmetricKey(size: .bits256)

    /// - Parameter membership: Reads the users' roles, which their sessions do not contain.
    package init(
        _ configuration: UpstreamConfiguration, client: VerificationClient, membership: UpstreamMembership.Source? = nil,
        clock: AccessClock = .system
    ) {
        self.configuration = configuration
        self.client = client
        self.membership = membership
        self.clock = clock
        state = Lock(
            State(
                refusals: RefusalCache(lifetime: configuration.refusalLifetime), users: LoginRate(perMinute: configuration.rates.user),
                addresses: LoginRate(perMinute: configuration.rates.address), total: LoginRate(perMinute: configuration.rates.total)))
    }

    package var authenticator: AuthenticatorKind { .upstream }

    /// The name of the upstream's session cookie.
    package var cookieName: String { configuration.cookieName }

    package func verify(_ login: UpstreamLogin) async throws(LoginError) -> VerifiedIdentity {
        let header = try Self.header(login.credentials, cookieName: configuration.cookieName)
        let digest = Array(HMAC<SHA256>.authenticationCode(for: Array(header.value.revealed.utf8), using: digestKey))
        do {
            return try await attempts.value(for: digest) { [self] in try await attempt(login, header, digest) }
        } catch {
            throw error as? LoginError ?? LoginError(.unavailable, "The legacy upstream cannot check logins", cause: error)
        }
    }

    private func attempt(
        _ login: UpstreamLogin, _ header: VerificationRequest.Header, _ digest: [UInt8]
    ) async throws(LoginError) -> VerifiedIdentity {
        try admit(login, digest)
        do {
            return try await identity(for: login.credentials, header)
        } catch {
            if error.code == .refused { state.withLock { $0.refusals.insert(digest, now: clock.uptimeSeconds) } }
            throw error
        }
    }

    /// The current channels and roles of a user created by upstream, by the credentials of his login here. Does not count as a login attempt.
    ///
    /// - Returns: An identity without roles if upstream does not report them at the moment.
    package func current(_ credentials: UpstreamLogin.Credentials) async throws(LoginError) -> VerifiedIdentity {
        try await identity(for: credentials, try Self.header(credentials, cookieName: configuration.cookieName), isKnown: true)
    }

    /// The user of a session at upstream; `nil` if the session is not valid there. Does not count as a login attempt.
    package func user(of cookie: Secret) async throws(LoginError) -> String? {
        let header = try Self.header(.cookie(cookie), cookieName: configuration.cookieName)
        return try await UpstreamSession.fetch(from: configuration.database, header, by: client).name
    }

    private func identity(
        for credentials: UpstreamLogin.Credentials, _ header: VerificationRequest.Header, isKnown: Bool = false
    ) async throws(LoginError) -> VerifiedIdentity {
        let session = try await UpstreamSession.fetch(from: configuration.database, header, by: client)
        if session.seesAll { try await checkReader(header) }
        var identity = try identity(for: credentials, of: session)
        guard !session.seesAll, let membership else { return identity }
        if let found = try await membership(identity.subject) {
            identity.roles = found.roles
            identity.roleChannels = found.channelsOfRoles(beside: session.channels)
        } else if isKnown {
            identity.roles = nil
        }
        return identity
    }

    private func admit(_ login: UpstreamLogin, _ digest: [UInt8]) throws(LoginError) {
        let now = clock.uptimeSeconds
        let refusal = state.withLock { state -> LoginError? in
            if state.refusals.contains(digest, now: now) { return Self.refused }
            var isAllowed = state.addresses.allows(login.address, now: now)
            if isAllowed, case .basic(let user, _) = login.credentials { isAllowed = state.users.allows(user, now: now) }
            guard isAllowed, state.total.allows(true, now: now) else {
                return LoginError(.unavailable, "Too many login attempts are in progress; try again in a minute")
            }
            return nil
        }
        if let refusal { throw refusal }
    }

    /// CouchDB has one list of users for all databases. Only a request to the database shows whether the user may read it.
    private func checkReader(_ header: VerificationRequest.Header) async throws(LoginError) {
        let response = try await client.send(.get(configuration.database, headers: [header] + VerificationRequest.Header.trail))
        guard !response.isFailure else {
            throw LoginError(.unavailable, "The legacy upstream cannot check logins, status \(response.status)")
        }
        guard response.status < 300 else { throw Self.refused }
    }

    private func identity(for credentials: UpstreamLogin.Credentials, of session: UpstreamSession) throws(LoginError) -> VerifiedIdentity {
        // Upstream returns a session without a name for the guest, whatever the credentials.
        guard let name = session.name, let userName = LoginName(name) else { throw Self.refused }
        var identity = VerifiedIdentity(authenticator: authenticator, userName: userName, subject: name)
        if case .basic(let user, let password) = credentials {
            guard Array(user.utf8) == Array(name.utf8) else { throw Self.refused }
            identity.password = password
        }
        identity.mayRegister = true
        identity.channels = session.channels
        identity.readsAll = session.seesAll
        identity.roles = session.roles
        return identity
    }

    static func header(_ credentials: UpstreamLogin.Credentials, cookieName: String) throws(LoginError)
        -> VerificationRequest.Header
    {
        switch credentials {
        case .basic(let user, let password):
            guard LoginName(user) != nil, !password.isEmpty, password.revealed.utf8.count <= 1024 else { throw refused }
            return .init(name: "Authorization", value: Secret("Basic \(Base64.encode(Array("\(user):\(password.revealed)".utf8)))"))
        case .cookie(let value):
            let isPlain = value.revealed.utf8.allSatisfy { !#"",;\"#.utf8.contains($0) }
            guard TokenText.isPlausible(value), isPlain else { throw refused }
            return .init(name: "Cookie", value: Secret("\(cookieName)=\(value.revealed)"))
        }
    }

    private static var refused: LoginError { LoginError(.refused, "Invalid login") }
}

/// Credentials of a client that upstream may accept.
package struct UpstreamLogin: Hashable, Sendable {
    package enum Credentials: Hashable, Sendable {
        case basic(user: String, password: Secret)
        /// The value of the client's session cookie from upstream.
        case cookie(Secret)
    }

    package let credentials: Credentials

    /// The client's address without the port, for the rate limit.
    package let address: String

    package init(_ credentials: Credentials, from address: String) {
        self.credentials = credentials
        self.address = address
    }
}

extension UpstreamMembership {
    /// Fetches a user's properties from the legacy upstream; `nil` if it does not provide them, as on its public port.
    package typealias Source = @Sendable (_ user: String) async throws(LoginError) -> UpstreamMembership?
}
