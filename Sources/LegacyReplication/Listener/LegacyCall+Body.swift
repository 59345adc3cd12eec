import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore

extension LegacyCall {
    /// The whole body of a request that has to be JSON.
    ///
    /// A missing type passes, and an empty one; clients that send another one, such as curl's form type, get Sync Gateway's 415.
    func jsonBody() async throws -> [UInt8] {
        if let header = request.headers[.contentType], !header.isEmpty, contentType?.isJSON != true {
            throw LegacyError(.unsupportedType, "Invalid content type \(header)")
        }
        return try await body(limit: limits.bodySize)
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
            guard bytes.count + chunk.readableBytes <= limit else { throw LegacyError.bodyTooLarge() }
            // An array that grows holds up to twice what it has.
            let held = 2 * bytes.count + chunk.readableBytes
            guard memory.canHold(held) else { throw LegacyError.bodyTooLarge() }
            guard bytes.count < Self.counted || memory.resize(to: held) else {
                throw LegacyError(.unavailable, "The requests of all clients take the memory that there is for them; try again later")
            }
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        return bytes
    }
}
