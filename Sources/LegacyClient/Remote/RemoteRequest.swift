import AsyncHTTPClient
import HTTP
import LegacyProtocol
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

    /// Relative to the database's URL, percent-encoded, with the query.
    var path: String
    var method: HTTPMethod
    var body: Body
    var headers: [(String, String)] = []
    var accept = "multipart/related, application/json"

    /// Whether the body may be compressed, if the server supports that.
    var isCompressible = true

    /// Whether `path` is relative to the server's root instead of the database's URL.
    var isAtRoot = false

    /// Whether the request is retried after a transient error.
    var isRetried = true

    /// Whether the response may be a web page: an attachment can be one.
    var takesPages = false

    /// Whether a 401 is an expected response instead of an error.
    var takesChallenges = false

    /// Whether an intermediary's refusal may concern this request only; ``RemoteDatabase/confirmingRefusals(isRetried:_:)`` then sends it again.
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

/// A server's response whose body has not been read yet.
struct RemoteResponse: Sendable {
    typealias Iterator = CountedBody.AsyncIterator

    let url: String
    let status: Int
    let headers: HTTPHeaders
    let body: CountedBody

    /// Whether the response is a web page.
    var isPage: Bool { contentType?.isPage ?? false }

    var contentType: MediaType? { headers.first(name: "Content-Type").flatMap { MediaType($0) } }

    /// Reads the whole body.
    ///
    /// - Throws: ``ReplicationError`` with code `tooLarge` if the body has more than `limit` bytes; or for a failed connection.
    func bytes(upTo limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            for try await buffer in body {
                guard bytes.count + buffer.readableBytes <= limit else {
                    throw ReplicationError(.tooLarge, "\(url) answered with more than \(limit) bytes")
                }
                bytes.append(contentsOf: buffer.readableBytesView)
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw ReplicationError(exchange: error, with: url)
        }
        return bytes
    }
}

/// The body of a response, whose bytes are counted as they are read.
struct CountedBody: AsyncSequence, Sendable {
    let body: HTTPClientResponse.Body
    let count: @Sendable (Int) -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
        var iterator: HTTPClientResponse.Body.AsyncIterator
        let count: @Sendable (Int) -> Void

        mutating func next() async throws -> ByteBuffer? {
            let buffer = try await iterator.next()
            if let buffer { count(buffer.readableBytes) }
            return buffer
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iterator: body.makeAsyncIterator(), count: count)
    }
}
