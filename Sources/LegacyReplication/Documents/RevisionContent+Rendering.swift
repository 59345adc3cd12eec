import Documents
import Gateway
import Storage

extension RevisionContent {
    /// The document as 1.x clients read it, its attachments as stubs.
    func renderer(_ options: ReadOptions = ReadOptions()) -> DocumentRenderer {
        var renderer = DocumentRenderer(id: id, revision: revision, isDeleted: isDeleted, body: body.properties)
        renderer.attachments = body.attachments
        if options.includesHistory { renderer.history = options.cut(history) }
        if options.showsExpiry, let expiry { renderer.expiry = Array("\"\(expiry.text)\"".utf8) }
        return renderer
    }
}
