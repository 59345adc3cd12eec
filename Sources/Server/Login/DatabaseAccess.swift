import Access
import Authentication
import BridgeConfiguration
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Logging
import Storage
import Telemetry

/// Authentication for one database: accounts, sessions and login methods.
struct DatabaseAccess: Sendable {
    let accounts: Accounts
    let passwords: PasswordChecker
    let sessions: Sessions
    let cookies: SessionCookies
    let configuration: AccessConfiguration

    /// The logins of long-lived connections.
    let open: OpenLogins

    /// Counts of accepted and refused logins.
    let counts: LoginCounts

    /// Checks names and passwords, from a request's header and from a login's body.
    let passwordLogin: PasswordLogin

    /// Logins through authenticators; `nil` if none is configured.
    let tokens: TokenLogins?

    /// Updates the channels and roles of the old server's users; `nil` without an old server.
    let follower: UpstreamFollower?

    /// The checkpoints that clients have left at the old server; `nil` without an old server.
    let checkpoints: UpstreamCheckpoints?

    /// The login methods, in the order in which they are tried. Explicit credentials come before the TLS client certificate.
    let methods: [any LoginMethod]

    /// - Parameters:
    ///   - authenticators: the external verifiers of users.
    ///   - followsUpstream: whether the old server is still the authority for its users' channels and roles.
    ///   - vouches: whether the old server logs in all users at present, because logins are passed on to it.
    ///   - metrics: receives the counts of logins.
    init(
        store: any Store, database: String, configuration: AccessConfiguration = AccessConfiguration(),
        authenticators: Authenticators? = nil, checkpoints: UpstreamCheckpoints? = nil,
        followsUpstream: @escaping @Sendable () async throws -> Bool = { true },
        vouches: @escaping @Sendable () async throws -> Bool = { false }, metrics: MetricsRegistry = MetricsRegistry(),
        logger: Logger = Logger(label: "dualgauge.access")
    ) {
        let counts = LoginCounts(metrics)
        self.counts = counts
        accounts = Accounts(store)
        passwords = PasswordChecker(store: store, cost: configuration.passwordCost)
        sessions = Sessions(store: store)
        open = OpenLogins(store: store, logger: logger)
        cookies = SessionCookies(database: database, configuration: configuration)
        self.configuration = configuration
        self.checkpoints = checkpoints
        let admitted = TokenAccounts(
            accounts: accounts, passwords: passwords, sessions: sessions, cookies: cookies, configuration: configuration)
        tokens = authenticators.map {
            TokenLogins(
                database: database, authenticators: $0, directory: admitted, sessions: admitted, clock: .system,
                sendsChallenge: configuration.sendsChallenge, cors: configuration.cors, counts: counts,
                logger: logger)
        }
        let accounts = accounts
        let follower = tokens.flatMap { UpstreamFollower($0, accounts: accounts, isFollowed: followsUpstream, logger: logger) }
        self.follower = follower
        passwordLogin = PasswordLogin(accounts: admitted, tokens: tokens, follower: follower)
        let session = SessionLogin(sessions: sessions, cookies: cookies)
        var methods: [any LoginMethod] = [BasicLogin(passwords: passwordLogin), OneTimeLogin(sessions: sessions)]
        if let tokens {
            methods.insert(BearerLogin(tokens: tokens, accounts: admitted), at: 0)
            methods.append(UpstreamCookieLogin(local: session, tokens: tokens, accounts: admitted, follower: follower, vouches: vouches))
            methods.append(CertificateLogin(tokens: tokens, accounts: admitted))
        } else {
            methods.append(session)
        }
        self.methods = methods
    }

    /// The caller of a request to the public port.
    ///
    /// - Throws: `AccessError` or `LoginError` for wrong credentials, even where the guest is enabled; `loginRequired` without credentials
    ///   where the guest is disabled; otherwise the store's errors.
    func caller(of request: Request, _ info: RequestInfo) async throws -> Caller {
        if let caller = try await login(request, info) { return caller }
        guard let guest = try await accounts.user(User.guestName), !guest.isDisabled else {
            throw AccessError(.loginRequired, "Login required")
        }
        counts.record(.guest)
        return Caller(principal: .guest)
    }

    /// The caller who logs in with a request; `nil` if it has no credentials.
    func login(_ request: Request, _ info: RequestInfo) async throws -> Caller? {
        do {
            for method in methods {
                guard let login = try await method.login(request, info) else { continue }
                counts.record(method.kind)
                return Caller(
                    principal: .user(login.user.name), expires: login.expires, proof: LoginProof(login.user, session: login.sessionID?.key),
                    cookie: login.session.flatMap { cookies.cookie($0, info) })
            }
            return nil
        } catch let error as LoginError {
            tokens?.log(error, "a request", info)
            throw error
        }
    }

    /// The lifetime of a session that begins now, in seconds.
    ///
    /// - Parameter end: when the proof of the login expires, in seconds since 1970, if it does.
    /// - Throws: `LoginError` `refused` if the proof has expired.
    func sessionTime(until end: Int64?) throws(LoginError) -> Int64 {
        try configuration.sessionTime(until: end, now: AccessClock.system.seconds)
    }

    /// Closes the connections to authenticators and to the old server.
    func close() async {
        await open.close()
        await follower?.close()
        await tokens?.authenticators.close()
        await checkpoints?.close()
    }
}

/// The caller of a request, and the cookie that the reply has to set.
struct Caller: Sendable {
    let principal: Principal

    /// When the login's proof expires, in seconds since 1970, if it does. It limits the lifetime of a session that begins with it.
    var expires: Int64?

    /// The cookie of a session that this request has renewed.
    var cookie: SetCookie?

    /// The proof of the login; `nil` for the guest and for administrators.
    var proof: LoginProof?

    init(principal: Principal, expires: Int64? = nil, proof: LoginProof? = nil, cookie: SetCookie? = nil) {
        self.principal = principal
        self.expires = expires
        self.proof = proof
        self.cookie = cookie
    }

    /// Adds the cookie to a response, including the response to a WebSocket request.
    func stamp(_ response: Response) -> Response {
        guard let cookie, response.headers[.setCookie] == nil else { return response }
        var response = response
        response.headers[.setCookie] = cookie.rendered
        return response
    }
}
