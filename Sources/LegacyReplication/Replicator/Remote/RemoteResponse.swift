import HTTP
import NIOCore
import NIOHTTP1

/// A server's answer, its body not yet read.
struct RemoteResponse: Sendable {
    typealias Iterator = CountedBody.AsyncIterator

    let url: String
    let status: Int
    let headers: HTTPHeaders
    let body: CountedBody

    /// Whether it is a page for people.
    var isPage: Bool { contentType?.isPage ?? false }

    var contentType: MediaType? { headers.first(name: "Content-Type").flatMap { MediaType($0) } }

    /// The whole body.
    ///
    /// - Throws: ``ReplicationError`` with code `tooLarge` if it has more than `limit` bytes, or what befell the connection.
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
