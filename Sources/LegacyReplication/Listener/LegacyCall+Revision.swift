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
        guard let revision = RevisionID(text) else { throw LegacyError(.badRequest, "Invalid revision ID") }
        return revision
    }

    /// The revision that is to be read; `nil` for the winner.
    ///
    /// - Throws: ``LegacyError``, 404, for what can be nobody's.
    var readRevision: RevisionID? {
        get throws {
            guard let text = query["rev"], !text.isEmpty else { return nil }
            guard let revision = RevisionID(text) else { throw LegacyError(.notFound, "missing") }
            return revision
        }
    }

    /// Whether an ID stands in the path as it is, where other clients would have percent-encoded it. Couchbase Lite for .NET encodes none, so that
    /// decoding makes another ID of `50%25`.
    func isUnescaped(_ id: String) -> Bool {
        guard let path = request.head.path?.utf8.prefix(while: { $0 != UInt8(ascii: "?") }) else { return false }
        guard path.suffix(id.utf8.count + 1).elementsEqual("/\(id)".utf8) else { return false }
        guard let target = try? RequestTarget("/\(id)") else { return false }
        return target.joinedSegments(from: 0, keepingTrailingSlash: true).utf8.elementsEqual(documentID.utf8)
    }

    /// A query parameter that is a JSON array of revision IDs, such as `atts_since=["2-b"]`; as texts, since some may be nobody's.
    func revisions(_ parameter: String) throws -> [String] {
        guard let json = query.json(parameter) else { return [] }
        return try RevisionList.read(json, parameter: parameter, limit: limits.revisions)
    }
}
