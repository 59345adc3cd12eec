import Access
import Authentication
import BridgeConfiguration
import HTTPListener
import HTTPTypes
import HummingbirdCore

/// One way to log in with any request, such as a password or a token in its headers.
protocol LoginMethod: Sendable {
    /// The name under which metrics count the logins of this method.
    var kind: LoginKind { get }

    /// The login of a request by this method; `nil` if the request has no credentials of this kind.
    ///
    /// - Throws: `AccessError` or `LoginError` if the credentials are wrong or cannot be checked. No other method is tried then.
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

/// The result of a login method.
struct Login: Sendable {
    let user: User

    /// When the presented proof expires, in seconds since 1970, if it does.
    var expires: Int64?

    /// The session, if this request has renewed it.
    var session: Session?

    /// The session of the login, if a connection opened with the login has to end with the session.
    var sessionID: SessionID?
}

/// A session for one WebSocket, given among the subprotocols, because browsers cannot send other headers with a WebSocket.
///
/// `POST /{db}/_session` with `"one_time": true` creates one (Sync Gateway 4.0).
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
