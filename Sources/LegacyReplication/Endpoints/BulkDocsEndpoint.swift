import HTTPTypes
import HummingbirdCore

/// `_bulk_docs`: many documents in one request.
enum BulkDocsEndpoint {
    /// Answers 201 whenever the body could be read; each row tells how its document fared.
    static func write(_ call: LegacyCall) async throws -> Response {
        var reader = BulkDocsReader(call)
        let request = try await reader.read()
        let rows = try await BulkDocsWriter(call: call, request: request).write()
        return .json(BulkDocsResponse.encode(rows, saysOK: request.makesRevisions), status: .created)
    }
}
