import HTTP
import NIOCore
import NIOHTTP1

/// A request to a database on a server.
struct RemoteRequest: Sendable {
    enum Body: Sendable {
        case none
        case json([UInt8])
        /// Parts that are read from the store while they are sent, so that a request can be sent again.
        case stream(type: String, length: Int64, SegmentStream)
    }

    /// Behind the database's name, percent-encoded, with the query.
    var path: String
    var method: HTTPMethod
    var body: Body
    var headers: [(String, String)] = []
    var accept = "multipart/related, application/json"

    /// Whether the body may be compressed, if the server takes that.
    var isCompressible = true

    /// Whether `path` is behind the server's name in place of the database's.
    var isAtRoot = false

    /// Whether it is sent again when it fails transiently.
    var isRetried = true

    /// Whether the answer may be a web page: an attachment can be one.
    var takesPages = false

    /// Whether a 401 is the answer that is wanted, and no failure.
    var takesChallenges = false

    /// Whether a refusal on the way to the server may be meant for this request alone; see ``RemoteDatabase/confirmingRefusals(isRetried:_:)``, which sends it
    /// again then.
    var isConfirmed = false

    init(_ path: String, method: HTTPMethod = .GET, body: Body = .none) {
        self.path = path
        self.method = method
        self.body = body
    }

    init(_ path: String, method: HTTPMethod = .POST, json: [UInt8]) {
        self.init(path, method: method, body: .json(json))
    }
}
