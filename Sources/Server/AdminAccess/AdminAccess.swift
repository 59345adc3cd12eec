import Access
import Authentication
import BridgeConfiguration
import Coordination
import Documents
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import NIOSSL
import ReplicationService
import Telemetry

/// Authenticates requests to the admin port. Without `adminAuth` in the configuration, all requests are admitted.
final class AdminAccess: Sendable {
    /// The logins of the configuration, with all passwords hashed.
    fileprivate struct Logins {
        let configuration: AdminAuthConfiguration
        let users: [ExactString: (hash: PasswordHash, role: AdminRole)]
        let certificates: [ExactString: AdminRole]

        /// The hash that a password is checked against if no user has the name, so that the time of a check does not reveal whether the
        /// user exists. It is a user's hash, always the same for one name.
        func decoy(for name: String) -> PasswordHash? {
            let hashes = users.values.map(\.hash).sorted { $0.text < $1.text }
            return hashes.isEmpty ? nil : hashes[Int(UInt(bitPattern: name.hashValue) % UInt(hashes.count))]
        }
    }

    private struct State {
        var logins: Logins?
        var leaving = StopSignal()
    }

    /// Stricter limits than for a fleet: administrators are few and seldom enter their passwords.
    private static var limits: LoginLimits {
        var limits = LoginLimits()
        limits.pair = .init(capacity: 10, tokensPerSecond: 0.1)
        limits.user = .init(capacity: 50, tokensPerSecond: 0.5)
        limits.address = .init(capacity: 50, tokensPerSecond: 0.5)
        return limits
    }

    /// The counts of refused logins.
    let counts: LoginCounts
    private let verifier: PasswordVerifier
    private let clock: AccessClock
    private let state = Lock(State())

    /// - Throws: ``ConfigurationError`` if a password cannot be hashed.
    init(
        _ configuration: AdminAuthConfiguration?, clock: AccessClock = .system, cost: ScryptCost = .standard,
        metrics: MetricsRegistry = MetricsRegistry()
    ) async throws {
        counts = LoginCounts(ofAdminPortIn: metrics)
        self.clock = clock
        verifier = PasswordVerifier(clock: clock, cost: cost, limits: Self.limits)
        let logins = try await prepare(configuration)
        state.withLock { $0.logins = logins.logins }
    }

    /// Whether the port requires a login.
    var isRequired: Bool { state.withLock { $0.logins != nil } }

    /// Signalled when connections have to end because the logins have changed.
    var leaving: StopSignal { state.withLock { $0.leaving } }

    /// Validated logins, not yet in use.
    struct Prepared: Sendable {
        fileprivate let logins: Logins?
    }

    /// Hashes the passwords of a new configuration, without putting it into effect.
    ///
    /// - Throws: ``ConfigurationError``.
    func prepare(_ configuration: AdminAuthConfiguration?) async throws -> Prepared {
        guard let configuration else { return Prepared(logins: nil) }
        let current = state.withLock { $0.logins }
        if let current, current.configuration == configuration { return Prepared(logins: current) }
        var users: [ExactString: (hash: PasswordHash, role: AdminRole)] = [:]
        for (name, user) in configuration.users {
            users[ExactString(name)] = (try await hash(user.password, of: name), user.role)
        }
        return Prepared(
            logins: Logins(
                configuration: configuration, users: users,
                certificates: Dictionary(configuration.certificates.map { (ExactString($0), $1) }, uniquingKeysWith: min)))
    }

    /// Puts prepared logins into effect. Ends the present connections if anything differs.
    func adopt(_ prepared: Prepared) {
        let leaving = state.withLock { state -> StopSignal? in
            guard state.logins?.configuration != prepared.logins?.configuration else { return nil }
            defer { state.leaving = StopSignal() }
            state.logins = prepared.logins
            return state.leaving
        }
        leaving?.raise()
    }

    private func hash(_ password: ConfiguredAccount.Password, of name: String) async throws -> PasswordHash {
        switch password {
        case .hash(let hash): return hash
        case .text(let secret):
            do {
                return try await verifier.hash(secret.revealed)
            } catch let error as AccessError {
                throw ConfigurationError(.badValue, at: "adminAuth.users.\(name).password", error.message)
            }
        }
    }

    /// The caller of a request; `nil` if the port requires a login and the request has none.
    ///
    /// As on the public port, explicit credentials come before the TLS client certificate.
    ///
    /// - Throws: `AccessError` or `LoginError` for credentials that are wrong or cannot be checked.
    func caller(of request: Request, _ info: RequestInfo) async throws -> AdminCaller? {
        guard let logins = state.withLock({ $0.logins }) else { return .anybody }
        do {
            if let header = request.headers[.authorization] {
                guard let credentials = BasicCredentials(authorization: header) else { throw AccessError(.invalidLogin, "Invalid login") }
                return try await caller(credentials, logins, info)
            }
            return try info.peerCertificate.flatMap { try caller(try $0.toDERBytes(), logins) }
        } catch {
            counts.record(error)
            throw error
        }
    }

    private func caller(_ credentials: BasicCredentials, _ logins: Logins, _ info: RequestInfo) async throws -> AdminCaller {
        let user = logins.users[ExactString(credentials.user)]
        try await verifier.verify(
            name: credentials.user, password: credentials.password, against: user?.hash, decoy: logins.decoy(for: credentials.user),
            address: info.clientAddress)
        guard let user else { throw AccessError(.invalidLogin, "Invalid login") }
        return AdminCaller(name: credentials.user, role: user.role)
    }

    /// The caller of a client certificate. The TLS handshake has verified the client's key and the configured authority's signature.
    private func caller(_ der: [UInt8], _ logins: Logins) throws(LoginError) -> AdminCaller? {
        let fields = try CertificateFields(der: der)
        let now = clock.now() / 1000
        guard fields.isForClients, fields.validFrom <= now, now < fields.validTo, fields.commonNames.count == 1,
            let name = fields.commonNames.first, let role = logins.certificates[ExactString(name)]
        else {
            throw LoginError(
                .refused, "The admin port does not accept the client's certificate; add its common name to `adminAuth.certificates`")
        }
        return AdminCaller(name: name, role: role)
    }
}

/// The caller of a request to the admin port.
struct AdminCaller: Hashable, Sendable {
    /// `nil` if the port requires no login.
    let name: String?
    let role: AdminRole

    /// The caller at a port without logins.
    static let anybody = AdminCaller(name: nil, role: .administrator)
}
