import Documents
import Gateway
import NIOHTTP1

/// Revisions that are sent with one `_bulk_docs` (docs/protocol/legacy-1x.md#_bulk_docs).
struct BulkDocsBatch: Sendable {
    private(set) var contents: [RevisionContent] = []
    private var json = Array("{\"docs\":[".utf8)

    var isEmpty: Bool { contents.isEmpty }

    /// In bytes.
    var size: Int { json.count }

    mutating func add(_ document: OutgoingDocument) {
        if !contents.isEmpty { json.append(UInt8(ascii: ",")) }
        contents.append(document.content)
        document.append(to: &json)
    }

    var request: RemoteRequest {
        RemoteRequest("_bulk_docs", method: .POST, json: json + Array("],\"new_edits\":false}".utf8))
    }

    /// The errors that the server reports, by document. It may list failures only, as CouchDB does.
    ///
    /// - Throws: ``ReplicationError`` with code `upstream` if it is no answer.
    static func errors(in json: [UInt8]) throws -> [ExactString: ReplicationError] {
        guard let rows = (try? JSONValue(json))?.array else {
            throw ReplicationError(.upstream, "The answer of _bulk_docs is no array")
        }
        var errors: [ExactString: ReplicationError] = [:]
        for row in rows {
            if let id = row["id"]?.string, let error = RowError.error(in: row) { errors[ExactString(id)] = error }
        }
        return errors
    }
}
