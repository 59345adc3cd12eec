import HTTP
import HTTPTypes

/// A server that histories are played against.
protocol Server: Sendable {
    var kind: ServerKind { get }

    /// Answers a request, as a whole.
    func answer(_ request: ServerRequest) async throws -> Answer

    /// Hands over the bytes of an answer as they come, until the task is cancelled; nothing of a refusal.
    func follow(_ request: ServerRequest, _ take: @escaping @Sendable ([UInt8]) -> Void) async throws

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

    /// How long a waiting feed may be silent before it counts as caught up, in milliseconds. A bridge reads before it waits. A Sync
    /// Gateway's time runs from the request on, so where rows are known to come, it gets more.
    func patience(expectsRows: Bool) -> Int {
        switch self {
        case .bridge: 20
        case .gateway: expectsRows ? 500 : 60
        }
    }

    /// After how long a connection ends whose server owes an answer. A bridge here shares its processor with all other tests.
    var longestSilence: Duration {
        switch self {
        case .bridge: .seconds(60)
        case .gateway: .seconds(15)
        }
    }
}
