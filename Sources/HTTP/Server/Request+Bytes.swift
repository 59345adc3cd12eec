import HTTPTypes
public import HummingbirdCore
import NIOCore

extension Request {
    /// The whole body.
    ///
    /// - Parameter limit: The most bytes it may have.
    /// - Throws: ``RequestError``: 413 when the body is longer, before it is read where its length was declared; others when it does not come.
    public func bytes(upTo limit: Int) async throws -> [UInt8] {
        let tooLarge = RequestError(.contentTooLarge, reason: "The body is longer than the limit of \(limit) bytes.")
        let declared = headers[.contentLength].flatMap { Int($0) } ?? 0
        guard declared <= limit else { throw tooLarge }
        var bytes: [UInt8] = []
        // What a header promises is not believed beyond a little.
        bytes.reserveCapacity(min(declared, 64 * 1024))
        for try await buffer in body {
            guard bytes.count + buffer.readableBytes <= limit else { throw tooLarge }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
        return bytes
    }
}
