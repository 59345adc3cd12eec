import Access
import BridgeConfiguration
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import Logging
import Storage

/// Who gets into one database, and how.
struct DatabaseAccess: Sendable {
    let accounts: Accounts
    let passwords: PasswordChecker
    let sessions: Sessions
    let cookies: SessionCookies
    let configuration: AccessConfiguration

    /// The logins of connections that last.
    let open: OpenLogins

    /// Counts of accepted and refused logins.
    let counts = LoginCounts()

    /// Names and passwords, of a request's header and of a login's body.
    let passwordLogin: PasswordLogin

    /// Logins by what others vouch for; `nil` if nobody may.
    let tokens: TokenLogins?

    /// Follows the channels and roles of the old server's users; `nil` without an old server.
    let follower: UpstreamFollower?

    /// The checkpoints that clients have left at the server that they come from; `nil` if there is none.
    let checkpoints: UpstreamCheckpoints?

    /// The ways to log in with a request, in the order in which they are tried. What a client says comes before what its TLS library shows.
    let methods: [any LoginMethod]

    /// - Parameters:
    ///   - authenticators: who else may vouch for users.
    ///   - followsUpstream: whether the old server still decides on its users' channels and roles.
    init(
        store: any Store, database: String, configuration: AccessConfiguration = AccessConfiguration(),
        authenticators: Authenticators? = nil, checkpoints: UpstreamCheckpoints? = nil,
        followsUpstream: @escaping @Sendable () async throws -> Bool = { true },
        logger: Logger = Logger(label: "dualgauge.access")
    ) {
        let counts = counts
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
            methods.append(UpstreamCookieLogin(local: session, tokens: tokens, accounts: admitted, follower: follower))
            methods.append(CertificateLogin(tokens: tokens, accounts: admitted))
        } else {
            methods.append(session)
        }
        self.methods = methods
    }

    /// Who sends a request to the public port.
    ///
    /// - Throws: `AccessError` or `LoginError` for credentials that are wrong, also where the guest is let in, and `loginRequired` where there are none
    ///   and it is not. Else what the store throws.
    func caller(of request: Request, _ info: RequestInfo) async throws -> Caller {
        if let caller = try await login(request, info) { return caller }
        guard let guest = try await accounts.user(User.guestName), !guest.isDisabled else {
            throw AccessError(.loginRequired, "Login required")
        }
        counts.note(.guest)
        return Caller(principal: .guest)
    }

    /// Who logs in with a request; `nil` if it has no credentials.
    func login(_ request: Request, _ info: RequestInfo) async throws -> Caller? {
        do {
            for method in methods {
                guard let login = try await method.login(request, info) else { continue }
                counts.note(method.kind)
                return Caller(
                    principal: .user(login.user.name), expires: login.expires, proof: LoginProof(login.user, session: login.sessionID),
                    cookie: login.session.flatMap { cookies.cookie($0, info) })
            }
            return nil
        } catch let error as LoginError {
            tokens?.note(error, "a request", info)
            throw error
        }
    }

    /// How long a session that begins now may last, in seconds.
    ///
    /// - Parameter end: when the proof that it begins with ends, in seconds since 1970, if it does.
    /// - Throws: `LoginError` `refused` if that is now.
    func sessionTime(until end: Int64?) throws(LoginError) -> Int64 {
        try configuration.sessionTime(until: end, now: AccessClock.system.seconds)
    }

    /// Lets go of those who may vouch for users.
    func close() async {
        await open.close()
        await follower?.close()
        await tokens?.authenticators.close()
        await checkpoints?.close()
    }
}

/// Who sends a request, and what the answer has to tell him about his login.
struct Caller: Sendable {
    let principal: Principal

    /// When the proof that he sent ends, in seconds since 1970, if it says so. A session that he begins with it does not last longer.
    var expires: Int64?

    /// The cookie of a session that this request has prolonged.
    var cookie: SetCookie?

    /// What the login stands on; `nil` for the guest and for administrators.
    var proof: LoginProof?

    init(principal: Principal, expires: Int64? = nil, proof: LoginProof? = nil, cookie: SetCookie? = nil) {
        self.principal = principal
        self.expires = expires
        self.proof = proof
        self.cookie = cookie
    }

    /// Adds the cookie to an answer, a WebSocket's included.
    func stamp(_ response: Response) -> Response {
        guard let cookie, response.headers[.setCookie] == nil else { return response }
        var response = response
        response.headers[.setCookie] = cookie.rendered
        return response
    }
}
