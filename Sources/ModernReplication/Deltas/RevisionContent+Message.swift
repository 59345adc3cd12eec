import Documents
import Gateway
import Storage

extension RevisionContent {
    /// The body as messages have it: with the attachments in `_attachments`, by digests that Couchbase Lite knows.
    ///
    /// - Parameter renaming: What the peer wants otherwise about the attachments.
    func messageBody(
        in snapshot: KeyspaceSnapshot, renaming: (AttachmentSet) throws -> AttachmentSet = { $0 }
    ) throws -> (bytes: [UInt8], attachments: AttachmentSet) {
        guard let json = body.attachments else { return (body.properties, AttachmentSet()) }
        let set = try renaming(try AttachmentSet(json).namedBySHA1(in: snapshot))
        var member: [UInt8] = []
        JSONWriter.append(key: "_attachments", to: &member)
        member.append(contentsOf: set.stubs())
        return (JSONObject.adding(member, to: body.properties), set)
    }
}
