import Documents
import HTTP
import NIOHTTP1

/// The requests for revisions (docs/protocol/legacy-1x.md#bulk-reads, docs/protocol/legacy-1x.md#single-reads).
enum BulkGetQuery {
    /// `POST _bulk_get` for several revisions.
    static func bulk(_ wanted: ArraySlice<MissingRevision>) -> RemoteRequest {
        var bytes = Array("{\"docs\":[".utf8)
        for (index, revision) in wanted.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONWriter.append(raw: "{\"id\":", to: &bytes)
            JSONWriter.append(revision.id, to: &bytes)
            JSONWriter.append(raw: ",\"rev\":", to: &bytes)
            JSONWriter.append(revision.revision, to: &bytes)
            if !revision.ancestors.isEmpty {
                JSONWriter.append(raw: ",\"atts_since\":", to: &bytes)
                append(revision.ancestors, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes += Array("]}".utf8)
        var request = RemoteRequest("_bulk_get?revs=true&attachments=true", method: .POST, json: bytes)
        request.headers = [("X-Accept-Part-Encoding", "gzip")]
        return request
    }

    /// `GET` for one revision.
    ///
    /// - Parameter hasAncestors: Whether the request names ancestors, so that the server may omit attachments that are stored here.
    static func single(_ wanted: MissingRevision, hasAncestors: Bool) -> RemoteRequest {
        var path = "\(PercentEncoding.encodeDocumentID(wanted.id))?rev=\(PercentEncoding.encodeQueryComponent(wanted.revision.text))"
        path += "&revs=true&attachments=true"
        if hasAncestors, !wanted.ancestors.isEmpty {
            var bytes: [UInt8] = []
            append(wanted.ancestors, to: &bytes)
            path += "&atts_since=\(PercentEncoding.encodeQueryComponent(String(decoding: bytes, as: UTF8.self)))"
        }
        var request = RemoteRequest(path)
        request.headers = [("X-Accept-Part-Encoding", "gzip")]
        return request
    }

    private static func append(_ revisions: [RevisionID], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        for (index, revision) in revisions.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONWriter.append(revision, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }
}

/// A revision that the server has and that is missing here.
struct MissingRevision: Hashable, Sendable {
    let id: String
    let revision: RevisionID
    let isDeleted: Bool

    /// Revisions of the document that are stored here with their attachments.
    let ancestors: [RevisionID]

    /// The ledger's ticket of the change that announced the revision.
    let ticket: Int

    /// Its index among the requested revisions in the feed's order, from 0.
    var place = 0

    /// The revision's history, once it has been received.
    var history: [RevisionID] = []
}
