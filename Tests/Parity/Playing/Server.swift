import HTTP
import HTTPTypes

/// A server that histories are played against.
protocol Server: Sendable {
    var kind: ServerKind { get }

    /// Returns the whole reply to a request.
    func answer(_ request: ServerRequest) async throws -> Answer

    /// Passes the bytes of a reply on as they arrive, until the task is cancelled; none of a refusal.
    func follow(_ request: ServerRequest, _ receive: @escaping @Sendable ([UInt8]) -> Void) async throws

    /// Opens a WebSocket.
    ///
    /// - Throws: `WebSocketRefusal`.
    func connect(_ request: ServerRequest, subprotocols: [String]) async throws -> any WebSocketConnection
}

struct ServerRequest: Sendable {
    var method = HTTPRequest.Method.get

    /// The path and the query.
    var path: String
    var headers: HTTPFields = [:]
    var body: [UInt8] = []
    var isToAdminPort = false
}

enum ServerKind: Sendable {
    case gateway, bridge

    /// The time without data after which a waiting feed counts as caught up, in milliseconds. A bridge reads before it waits. A Sync Gateway's time
    /// begins with the request, so where rows are expected, it gets more.
    func timeout(expectsRows: Bool) -> Int {
        switch self {
        case .bridge: 20
        case .gateway: expectsRows ? 500 : 60
        }
    }

    /// The timeout of a connection whose server has to reply. A bridge here shares its processor with all other tests.
    var longestSilence: Duration {
        switch self {
        case .bridge: .seconds(60)
        case .gateway: .seconds(15)
        }
    }
}
