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

    /// The whole body, up to a limit.
    func body(limit: Int) async throws -> [UInt8] {
        let announced = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard announced <= limit else { throw LegacyError.bodyTooLarge() }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(announced)
        for try await chunk in request.body {
            guard bytes.count + chunk.readableBytes <= limit else { throw LegacyError.bodyTooLarge() }
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        return bytes
    }
}
