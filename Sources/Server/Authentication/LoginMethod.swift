import Access
import BridgeConfiguration
import HTTP
import HTTPTypes
import HummingbirdCore

/// One way to log in with any request, such as a password or a token in its headers.
protocol LoginMethod: Sendable {
    /// The name under which metrics count the logins of this method.
    var kind: LoginKind { get }

    /// Who the request is from by this method; `nil` if it has nothing of this method's kind.
    ///
    /// - Throws: `AccessError` or `LoginError` if it has, and it is wrong or cannot be checked: no other method is tried then.
    func login(_ request: Request, _ info: RequestInfo) async throws -> Login?
}

/// The kinds of logins, as metrics name them.
enum LoginKind: String, CaseIterable, Sendable {
    /// A name and a password, with a request or to begin a session.
    case password
    case session
    case oneTime = "one_time"
    case bearer
    case certificate
    case guest
}

/// What a method has found out.
struct Login: Sendable {
    let user: User

    /// When what was presented ends, in seconds since 1970, if it says so.
    var expires: Int64?

    /// The session, if it has been prolonged.
    var session: Session?

    /// The session by which the user has logged in, if that has to go on for as long as what it opens.
    var sessionID: SessionID?
}

/// A session for one WebSocket, named beside the subprotocols: browsers can send a WebSocket no other header. `POST /{db}/_session` with
/// `"one_time": true` makes one (Sync Gateway 4.0).
struct OneTimeLogin: LoginMethod {
    private static let prefix = "SyncGatewaySession_"

    let sessions: Sessions

    var kind: LoginKind { .oneTime }

    func login(_ request: Request, _ info: RequestInfo) async throws -> Login? {
        guard request.wantsWebSocket, let id = Self.id(in: request.webSocketProtocols) else { return nil }
        guard let session = try await sessions.useOnce(id) else { throw AccessError(.invalidSession, "Session Invalid") }
        return Login(user: session.user)
    }

    private static func id(in offers: [String]) -> SessionID? {
        for name in offers.flatMap({ $0.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) }) where name.hasPrefix(prefix) {
            return SessionID(String(name.dropFirst(prefix.count)))
        }
        return nil
    }
}
