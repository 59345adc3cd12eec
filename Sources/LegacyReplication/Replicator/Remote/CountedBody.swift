import AsyncHTTPClient
import NIOCore

/// The body of a server's answer, whose bytes are counted as they are read.
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
