import Documents
import HTTP
import HTTPTypes
import HummingbirdCore

extension LegacyCall {
    /// The revision that the request names outside its body: `?rev=`, or `If-Match` with its quotes.
    var revisionText: String? {
        if let revision = query["rev"], !revision.isEmpty { return revision }
        guard let header = request.headers[.ifMatch], header != "*" else { return nil }
        let tag = header.utf8.starts(with: "W/".utf8) ? header.dropFirst(2) : header[...]
        return String(tag.drop { $0 == "\"" }.prefix { $0 != "\"" })
    }

    /// The same as a revision of a document.
    ///
    /// - Throws: ``LegacyError`` if it cannot be one.
    var revision: RevisionID? {
        get throws {
            try revisionText.map(Self.revision)
        }
    }

    static func revision(_ text: String) throws -> RevisionID {
        guard let revision = RevisionID(text) else { throw LegacyError(.badRequest, "Invalid revision ID \"\(text)\"") }
        return revision
    }

    /// A query parameter that is a JSON array of revision IDs, such as `atts_since=["2-b"]`.
    func revisions(_ parameter: String) throws -> [RevisionID] {
        guard let json = query.json(parameter) else { return [] }
        return try RevisionList.read(json, parameter: parameter, limit: limits.revisions)
    }
}
