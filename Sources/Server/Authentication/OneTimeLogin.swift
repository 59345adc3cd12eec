import Access
import HTTP
import HTTPTypes
import HummingbirdCore

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
