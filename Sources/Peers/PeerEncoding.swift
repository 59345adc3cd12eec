import Documents
import HTTP

/// Encodes the requests of a 1.x client.
enum LegacyEncoding {
    /// A document ID or attachment name as a path segment, with every reserved character encoded, as the iOS client does.
    static func path(_ text: String) -> String {
        PercentEncoding.encodePathSegment(text)
    }

    static func revsDiff(_ revisions: ArraySlice<PeerRevision>) -> [UInt8] {
        let byDocument = Dictionary(grouping: revisions, by: { ExactString($0.id) })
        var bytes = Array("{".utf8)
        for (index, (id, revisions)) in byDocument.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONWriter.append(id.string, to: &bytes)
            bytes += Array(":[".utf8)
            bytes += Array(revisions.map { "\"\($0.history[0])\"" }.joined(separator: ",").utf8)
            bytes.append(UInt8(ascii: "]"))
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    static func bulkDocs(_ revisions: [PeerRevision]) -> [UInt8] {
        var bytes = Array(#"{"docs":["#.utf8)
        for (index, revision) in revisions.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(revision, follows: false, to: &bytes)
        }
        bytes += Array(#"],"new_edits":false}"#.utf8)
        return bytes
    }

    static func bulkGet(_ documents: [(id: String, revision: String)]) -> [UInt8] {
        var bytes = Array(#"{"docs":["#.utf8)
        for (index, document) in documents.enumerated() {
            bytes += Array((index > 0 ? ",{\"id\":" : "{\"id\":").utf8)
            JSONWriter.append(document.id, to: &bytes)
            bytes += Array(",\"rev\":\"\(document.revision)\"}".utf8)
        }
        bytes += Array("]}".utf8)
        return bytes
    }

    /// A document with its attachments as MIME parts, in the order of the attachments' metadata.
    static func multipart(_ revision: PeerRevision) -> (body: [UInt8], contentType: String) {
        let boundary = "8F4C2B1E-DUALGAUGE-PEER"
        var bytes = Array("--\(boundary)\r\nContent-Type: application/json\r\n\r\n".utf8)
        append(revision, follows: true, to: &bytes)
        for attachment in revision.attachments {
            bytes += Array(
                "\r\n--\(boundary)\r\nContent-Disposition: attachment; filename=\"\(attachment.name)\"\r\nContent-Type: \(attachment.contentType)\r\n\r\n"
                    .utf8)
            bytes += attachment.bytes
        }
        bytes += Array("\r\n--\(boundary)--".utf8)
        return (bytes, "multipart/related; boundary=\"\(boundary)\"")
    }

    private static func append(_ revision: PeerRevision, follows: Bool, to bytes: inout [UInt8]) {
        bytes += Array(#"{"_id":"#.utf8)
        JSONWriter.append(revision.id, to: &bytes)
        let ids = revision.history.map { "\"\($0.digest)\"" }.joined(separator: ",")
        bytes += Array(
            ",\"_rev\":\"\(revision.history[0])\",\"_revisions\":{\"start\":\(revision.history[0].generation),\"ids\":[\(ids)]}".utf8)
        if revision.isDeleted { bytes += Array(",\"_deleted\":true".utf8) }
        if !revision.attachments.isEmpty { append(revision.attachments, revision.history[0].generation, follows, to: &bytes) }
        // The members of the body follow, without its braces.
        let members = revision.body.dropFirst().dropLast()
        if members.contains(where: { $0 != UInt8(ascii: " ") }) {
            bytes.append(UInt8(ascii: ","))
            bytes += members
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func append(_ attachments: [PeerRevision.Attachment], _ generation: Int, _ follows: Bool, to bytes: inout [UInt8]) {
        bytes += Array(",\"_attachments\":{".utf8)
        for (index, attachment) in attachments.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONWriter.append(attachment.name, to: &bytes)
            let digest = AttachmentDigest.sha1(of: attachment.bytes)
            bytes += Array(":{\"content_type\":\"\(attachment.contentType)\",\"revpos\":\(generation),".utf8)
            bytes += Array("\"length\":\(attachment.bytes.count),\"digest\":\"\(digest)\",".utf8)
            let source = follows ? "\"follows\":true}" : "\"data\":\"\(Base64.encode(attachment.bytes))\"}"
            bytes += Array(source.utf8)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

/// Encodes the bodies of a 2.x+ client.
enum ModernEncoding {
    /// The document's body, with stubs for its attachments.
    static func body(of revision: PeerRevision) -> [UInt8] {
        guard !revision.attachments.isEmpty else { return revision.body }
        var bytes = Array(#"{"_attachments":{"#.utf8)
        for (index, attachment) in revision.attachments.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONWriter.append(attachment.name, to: &bytes)
            let digest = AttachmentDigest.sha1(of: attachment.bytes)
            bytes += Array(":{\"content_type\":\"\(attachment.contentType)\",\"digest\":\"\(digest)\",\"stub\":true,".utf8)
            bytes += Array("\"length\":\(attachment.bytes.count),\"revpos\":\(revision.history[0].generation)}".utf8)
        }
        bytes.append(UInt8(ascii: "}"))
        let members = DocumentBody.members(of: revision.body)
        if !members.isEmpty { bytes.append(UInt8(ascii: ",")) }
        return bytes + members + [UInt8(ascii: "}")]
    }
}
