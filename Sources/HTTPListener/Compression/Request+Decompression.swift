import HTTP
import HTTPTypes
package import HummingbirdCore
import NIOCore

extension Request {
    /// The request with its body decompressed if it has `Content-Encoding: gzip`.
    ///
    /// Reading the body then throws ``RequestError``: 413 if the decompressed body exceeds `maximumSize` bytes, 400 if the data is damaged.
    ///
    /// - Throws: ``RequestError`` with 415 for any other encoding.
    package func decompressed(maximumSize: Int) throws -> Request {
        switch headers[.contentEncoding]?.lowercased() {
        case nil, "", "identity": return self
        case "gzip", "x-gzip":
            var head = head
            head.headerFields[.contentEncoding] = nil
            head.headerFields[.contentLength] = nil
            return Request(head: head, body: RequestBody(asyncSequence: InflatedBody(base: body, maximumSize: maximumSize)))
        default:
            throw RequestError(.unsupportedMediaType, reason: "Unsupported Content-Encoding; use gzip")
        }
    }
}

/// A request's body, decompressed as it is read.
private struct InflatedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let base: RequestBody
    let maximumSize: Int

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: RequestBody.AsyncIterator
        let maximumSize: Int
        var inflater: Inflater?
        var hasEnded = false

        mutating func next() async throws -> ByteBuffer? {
            guard !hasEnded else { return nil }
            let inflater = try self.inflater ?? Inflater(maximumSize: maximumSize)
            self.inflater = inflater
            do {
                while let buffer = try await base.next() {
                    let inflated = try inflater.write(buffer)
                    if inflated.readableBytes > 0 { return inflated }
                }
                hasEnded = true
                try inflater.finish()
                return nil
            } catch let error as CompressionError {
                throw RequestError(Self.code(of: error), reason: error.reason, cause: error)
            }
        }

        private static func code(of error: CompressionError) -> RequestError.Code {
            switch error.code {
            case .tooLarge: .contentTooLarge
            case .corrupt, .truncated, .outOfMemory: .badRequest
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: base.makeAsyncIterator(), maximumSize: maximumSize)
    }
}
