import Crypto
import Documents
import Synchronization

/// Tries a login at the server that the fleet comes from, so that nobody needs a new password.
///
/// To be asked for a login only where the user is not known here: whoever is known is checked here, also when that fails. What it gives includes the password,
/// to be hashed, so that upstream is not needed again. ``current(_:)`` asks about a user that it has brought.
public final class UpstreamVerifier: TokenVerifier {
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
    private let state: Mutex<State>

    /// Digests of credentials are of no use to anybody without it.
    private let digestKey = SymmetricKey(size: .bits256)

    /// - Parameter membership: tells the roles of users, which their sessions do not.
    public init(
        _ configuration: UpstreamConfiguration, client: VerificationClient, membership: UpstreamMembership.Source? = nil,
        clock: AccessClock = .system
    ) {
        self.configuration = configuration
        self.client = client
        self.membership = membership
        self.clock = clock
        state = Mutex(
            State(
                refusals: RefusalCache(lifetime: configuration.refusalLifetime), users: LoginRate(perMinute: configuration.rates.user),
                addresses: LoginRate(perMinute: configuration.rates.address), total: LoginRate(perMinute: configuration.rates.total)))
    }

    public var authenticator: Authenticator { .upstream }

    /// The name of the upstream's session cookie.
    public var cookieName: String { configuration.cookieName }

    public func verify(_ login: UpstreamLogin) async throws(LoginError) -> VerifiedIdentity {
        let header = try Self.header(login.credentials, cookieName: configuration.cookieName)
        let digest = Array(HMAC<SHA256>.authenticationCode(for: Array(header.value.revealed.utf8), using: digestKey))
        try admit(login, digest)
        do {
            return try await identity(for: login.credentials, header)
        } catch {
            if error.code == .refused { state.withLock { $0.refusals.insert(digest, now: clock.uptimeSeconds) } }
            throw error
        }
    }

    /// The present channels and roles of a user that upstream has brought, by the credentials of his login here. The question does not count as a try.
    ///
    /// - Returns: no roles where upstream does not tell them just now.
    public func current(_ credentials: UpstreamLogin.Credentials) async throws(LoginError) -> VerifiedIdentity {
        try await identity(for: credentials, try Self.header(credentials, cookieName: configuration.cookieName), isKnown: true)
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
        let verdict = state.withLock { state -> LoginError? in
            if state.refusals.contains(digest, now: now) { return Self.refused }
            var isAllowed = state.addresses.allows(login.address, now: now)
            if isAllowed, case .basic(let user, _) = login.credentials { isAllowed = state.users.allows(user, now: now) }
            guard isAllowed, state.total.allows(true, now: now) else {
                return LoginError(.unavailable, "Too many logins are being tried; try again in a minute")
            }
            return nil
        }
        if let verdict { throw verdict }
    }

    /// A CouchDB has one list of users for all of its databases: who may read this one, only the database itself says.
    private func checkReader(_ header: VerificationRequest.Header) async throws(LoginError) {
        let response = try await client.send(.get(configuration.database, headers: [header] + VerificationRequest.Header.trail))
        guard !response.isFailure else {
            throw LoginError(.unavailable, "The legacy upstream cannot check logins, status \(response.status)")
        }
        guard response.status < 300 else { throw Self.refused }
    }

    private func identity(for credentials: UpstreamLogin.Credentials, of session: UpstreamSession) throws(LoginError) -> VerifiedIdentity {
        // A guest is let in there without a name, whatever was presented.
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

/// What a client presents that may be known upstream.
public struct UpstreamLogin: Hashable, Sendable {
    public enum Credentials: Hashable, Sendable {
        case basic(user: String, password: Secret)
        /// The value of the session cookie that the upstream gave the client.
        case cookie(Secret)
    }

    public let credentials: Credentials

    /// Where the client is, to bound how often one place tries; without its port.
    public let address: String

    public init(_ credentials: Credentials, from address: String) {
        self.credentials = credentials
        self.address = address
    }
}
