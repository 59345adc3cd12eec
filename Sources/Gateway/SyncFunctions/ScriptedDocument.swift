import Access
import Documents
import Scripting
import Storage

/// Documents in the form that JavaScript functions receive: with `_id`, `_rev` and `_deleted` among the properties.
enum ScriptedDocument {
    /// The form for filters and resolvers, with attachments as stubs.
    static func json(_ id: String, _ revision: RevisionID, _ isDeleted: Bool, _ body: [UInt8], _ attachments: [UInt8]?) -> [UInt8] {
        var renderer = DocumentRenderer(id: id, revision: revision, isDeleted: isDeleted, body: body)
        renderer.attachments = attachments
        return json(renderer)
    }

    /// The form of a written document for sync functions: without attachments.
    static func written(_ id: String, _ revision: RevisionID, _ isDeleted: Bool, _ body: [UInt8]) -> [UInt8] {
        json(id, revision, isDeleted, body, nil)
    }

    /// The form of the previous document for sync functions: without its revision.
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
    /// The user for a sync function's `require…` calls; `nil` for an administrator, for whom all of them succeed.
    func scriptUser(in collection: CollectionKey) -> SyncFunctionUser? {
        guard !isAdministrator else { return nil }
        return SyncFunctionUser(
            name: principal.userName ?? "", roles: roles.sorted(), channels: access(to: collection).names.sorted())
    }
}
