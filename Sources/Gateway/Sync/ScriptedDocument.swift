import Documents

/// A document as JavaScript functions see it: `_id`, `_rev` and `_deleted` among its properties, attachments as stubs.
enum ScriptedDocument {
    static func json(_ id: String, _ revision: RevisionID, _ isDeleted: Bool, _ body: [UInt8], _ attachments: [UInt8]?) -> [UInt8] {
        var renderer = DocumentRenderer(id: id, revision: revision, isDeleted: isDeleted, body: body)
        renderer.attachments = attachments
        var json: [UInt8] = []
        renderer.append(to: &json)
        return json
    }
}
