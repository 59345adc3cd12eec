import Documents
import Gateway
import HTTPTypes
import HummingbirdCore

/// `_bulk_docs`: many documents in one request.
enum BulkDocsEndpoint {
    /// Answers 201 whenever the body could be read; each row tells how its document fared.
    static func write(_ call: LegacyCall) async throws -> Response {
        let documentLimits = DocumentLimits(
            maximumSize: call.keyspace.database.configuration.limits.documentSize, maximumDepth: call.limits.depth)
        let request = try BulkDocsRequest(try await call.jsonBody(), limits: call.limits, documentLimits: documentLimits)
        let rows = try await BulkDocsWriter(call: call, request: request).write()
        return .json(BulkDocsResponse.encode(rows, saysOK: request.makesRevisions), status: .created)
    }
}
