import Access
import Documents
import Scripting
import Storage

/// A document as JavaScript functions see it: `_id`, `_rev` and `_deleted` among its properties.
enum ScriptedDocument {
    /// As filters and resolvers see it, attachments as stubs.
    static func json(_ id: String, _ revision: RevisionID, _ isDeleted: Bool, _ body: [UInt8], _ attachments: [UInt8]?) -> [UInt8] {
        var renderer = DocumentRenderer(id: id, revision: revision, isDeleted: isDeleted, body: body)
        renderer.attachments = attachments
        return json(renderer)
    }

    /// As a sync function sees what is written: without attachments.
    static func written(_ id: String, _ revision: RevisionID, _ isDeleted: Bool, _ body: [UInt8]) -> [UInt8] {
        json(id, revision, isDeleted, body, nil)
    }

    /// As a sync function sees what was there before: without its revision.
    static func previous(_ id: String, _ isDeleted: Bool, _ body: [UInt8], _ attachments: [UInt8]?) -> [UInt8] {
        var renderer = DocumentRenderer(id: id, revision: nil, isDeleted: isDeleted, body: body)
        renderer.attachments = attachments
        return json(renderer)
    }

    private static func json(_ renderer: DocumentRenderer) -> [UInt8] {
        var json: [UInt8] = []
        renderer.append(to: &json)
        return json
    }
}

extension Rights {
    /// What a sync function's `require…` go by; `nil` for an administrator, who may do everything.
    func scriptUser(in collection: CollectionKey) -> SyncFunctionUser? {
        guard !isAdministrator else { return nil }
        return SyncFunctionUser(
            name: principal.userName ?? "", roles: roles.sorted(), channels: access(to: collection).names.sorted())
    }
}
