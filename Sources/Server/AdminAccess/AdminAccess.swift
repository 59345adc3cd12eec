import Access
import BridgeConfiguration
import Documents
import HTTP
import HTTPTypes
import HummingbirdCore
import NIOSSL
import ReplicationService
import Synchronization

/// Finds out who sends a request to the admin port. Without `adminAuth` in the configuration it is anybody.
final class AdminAccess: Sendable {
    /// The logins of the configuration, with all passwords hashed.
    fileprivate struct Logins {
        let configuration: AdminAuthConfiguration
        let users: [ExactString: (hash: PasswordHash, role: AdminRole)]
        let certificates: [ExactString: AdminRole]

        /// A hash that a password is checked against where nobody has the name: a user's, always the same for one name, so that how long a check
        /// takes does not tell whether there is somebody.
        func decoy(for name: String) -> PasswordHash? {
            let hashes = users.values.map(\.hash).sorted { $0.text < $1.text }
            return hashes.isEmpty ? nil : hashes[Int(UInt(bitPattern: name.hashValue) % UInt(hashes.count))]
        }
    }

    private struct State {
        var logins: Logins?
        var leaving = ShutdownSignal()
    }

    /// Administrators are few and type their passwords rarely, so fewer wrong ones are taken than of a fleet.
    private static var limits: LoginLimits {
        var limits = LoginLimits()
        limits.pair = .init(capacity: 10, tokensPerSecond: 0.1)
        limits.user = .init(capacity: 50, tokensPerSecond: 0.5)
        limits.address = .init(capacity: 50, tokensPerSecond: 0.5)
        return limits
    }

    /// Logins that were not accepted.
    let counts = LoginCounts()
    private let verifier: PasswordVerifier
    private let clock: AccessClock
    private let state = Mutex(State())

    /// - Throws: ``ConfigurationError`` if a password cannot be hashed.
    init(_ configuration: AdminAuthConfiguration?, clock: AccessClock = .system, cost: ScryptCost = .standard) async throws {
        self.clock = clock
        verifier = PasswordVerifier(clock: clock, cost: cost, limits: Self.limits)
        let logins = try await prepare(configuration)
        state.withLock { $0.logins = logins.logins }
    }

    /// Whether anybody has to log in.
    var isRequired: Bool { state.withLock { $0.logins != nil } }

    /// Told when those who are connected have to go, because the logins have changed.
    var leaving: ShutdownSignal { state.withLock { $0.leaving } }

    /// Logins that are ready to be used.
    struct Prepared: Sendable {
        fileprivate let logins: Logins?
    }

    /// Hashes the passwords of a new configuration; nothing is changed by that.
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

    /// Has other logins count from now on, and sends away those who are connected, if anything is different.
    func adopt(_ prepared: Prepared) {
        let leaving = state.withLock { state -> ShutdownSignal? in
            guard state.logins?.configuration != prepared.logins?.configuration else { return nil }
            defer { state.leaving = ShutdownSignal() }
            state.logins = prepared.logins
            return state.leaving
        }
        leaving?.begin()
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

    /// Who sends a request; `nil` if it has to log in and does not.
    ///
    /// A name and password come before a certificate, as on the public port: what a client says before what its TLS library shows.
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
            counts.note(error)
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

    /// Whose certificate it is. The handshake has made sure that the client has its key, and that the configured authority has signed it.
    private func caller(_ der: [UInt8], _ logins: Logins) throws(LoginError) -> AdminCaller? {
        let fields = try CertificateFields(der: der)
        let now = clock.now() / 1000
        guard fields.isForClients, fields.validFrom <= now, now < fields.validTo, fields.commonNames.count == 1,
            let name = fields.commonNames.first, let role = logins.certificates[ExactString(name)]
        else {
            throw LoginError(
                .refused, "The client's certificate is not known at this port; name its common name in `adminAuth.certificates`")
        }
        return AdminCaller(name: name, role: role)
    }
}

/// Who sends a request to the admin port.
struct AdminCaller: Hashable, Sendable {
    /// `nil` where the port asks for no login.
    let name: String?
    let role: AdminRole

    /// Anybody, at a port without logins.
    static let anybody = AdminCaller(name: nil, role: .administrator)
}
