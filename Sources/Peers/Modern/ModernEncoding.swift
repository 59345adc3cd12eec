import Documents

/// Bodies as a 2.x+ client sends them.
enum ModernEncoding {
    /// The document's properties, with stubs of its attachments.
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
