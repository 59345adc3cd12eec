import Access
import Scripting
import Storage

extension Rights {
    /// What a sync function's `require…` go by; `nil` for an administrator, who may do everything.
    func scriptUser(in collection: CollectionKey) -> SyncFunctionUser? {
        guard !isAdministrator else { return nil }
        return SyncFunctionUser(
            name: principal.userName ?? "", roles: roles.sorted(), channels: access(to: collection).names.sorted())
    }
}
