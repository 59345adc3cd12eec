import Documents
import Gateway
import Storage

extension RevisionContent {
    /// The body as messages have it: with the attachments in `_attachments`, as Couchbase Lite knows them.
    ///
    /// - Parameter renaming: What the peer wants otherwise about the attachments.
    func messageBody(
        in snapshot: KeyspaceSnapshot, renaming: (AttachmentSet) throws -> AttachmentSet = { $0 }
    ) throws -> (bytes: [UInt8], attachments: [SentAttachment]) {
        guard let json = body.attachments else { return (body.properties, []) }
        let told = try ToldAttachments(try AttachmentSet(json), in: snapshot)
        guard !told.set.isEmpty else { return (body.properties, []) }
        var member: [UInt8] = []
        JSONWriter.append(key: "_attachments", to: &member)
        member.append(contentsOf: try renaming(told.set).stubs())
        return (JSONObject.adding(member, to: body.properties), told.sent)
    }
}
