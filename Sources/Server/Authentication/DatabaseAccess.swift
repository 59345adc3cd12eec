import Access
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import Storage

/// Who gets into one database, and how.
struct DatabaseAccess: Sendable {
    let accounts: Accounts
    let passwords: PasswordChecker
    let sessions: Sessions
    let cookies: SessionCookies
    let configuration: AccessConfiguration

    /// The ways to log in with a request, in the order in which they are tried.
    let methods: [any LoginMethod]

    /// - Parameter methods: ways to log in besides passwords and sessions, which are tried before them.
    init(
        store: any Store, database: String, configuration: AccessConfiguration = AccessConfiguration(), methods: [any LoginMethod] = []
    ) {
        accounts = Accounts(store)
        passwords = PasswordChecker(store: store)
        sessions = Sessions(store: store)
        cookies = SessionCookies(database: database, configuration: configuration)
        self.configuration = configuration
        self.methods = methods + [BasicLogin(passwords: passwords), SessionLogin(sessions: sessions, cookies: cookies)]
    }

    /// Who sends a request to the public port.
    ///
    /// - Throws: `AccessError` for credentials that are wrong, also where the guest is let in, and `loginRequired` where there are none and it is not.
    ///   Else what the store throws.
    func caller(of request: Request, _ info: RequestInfo) async throws -> Caller {
        if let caller = try await login(request, info) { return caller }
        guard let guest = try await accounts.user(User.guestName), !guest.isDisabled else {
            throw AccessError(.loginRequired, "Login required")
        }
        return Caller(principal: .guest)
    }

    /// Who logs in with a request; `nil` if it has no credentials.
    func login(_ request: Request, _ info: RequestInfo) async throws -> Caller? {
        for method in methods {
            if let login = try await method.login(request, info) {
                return Caller(principal: .user(login.user.name), cookie: login.session.flatMap { cookies.cookie($0, info) })
            }
        }
        return nil
    }
}
