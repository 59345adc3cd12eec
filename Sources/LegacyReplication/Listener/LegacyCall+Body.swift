import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore

extension LegacyCall {
    /// The whole body of a request that has to be JSON.
    func jsonBody() async throws -> [UInt8] {
        try requireJSON()
        return try await body(limit: limits.bodySize)
    }

    /// A missing type passes, and an empty one; clients that send another one, such as curl's form type, get Sync Gateway's 415.
    func requireJSON() throws {
        guard let header = request.headers[.contentType], !header.isEmpty, contentType?.isJSON != true else { return }
        throw LegacyError(.unsupportedType, "Invalid content type \(header)")
    }

    /// Smaller bodies are not counted.
    private static let counted = 64 << 10

    /// The whole body, up to a limit.
    ///
    /// - Throws: ``LegacyError``: `bodyTooLarge`, or `unavailable` where other requests have all the memory that there is for them.
    func body(limit: Int) async throws -> [UInt8] {
        let announced = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard announced <= limit else { throw LegacyError.bodyTooLarge() }
        var bytes: [UInt8] = []
        // What a header promises is not believed beyond a little.
        bytes.reserveCapacity(min(announced, Self.counted))
        for try await chunk in request.body {
            try hold(chunk.readableBytes, after: bytes.count, limit: limit)
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        return bytes
    }

    /// Accounts for the next bytes of a body that are to be held behind others. Both counts are of bytes that are in memory, so their sums are small.
    ///
    /// - Throws: ``LegacyError``: `bodyTooLarge`, or `unavailable` where other requests have all the memory that there is for them.
    func hold(_ count: Int, after held: Int, limit: Int) throws {
        guard held + count <= limit else { throw LegacyError.bodyTooLarge() }
        // An array that grows holds up to twice what it has.
        let size = 2 * held + count
        guard memory.canHold(size) else { throw LegacyError.bodyTooLarge() }
        guard held < Self.counted || memory.resize(to: size) else {
            throw LegacyError(.unavailable, "The requests of all clients take the memory that there is for them; try again later")
        }
    }
}
