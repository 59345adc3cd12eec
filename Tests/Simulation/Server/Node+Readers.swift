import Access
import Storage
import TestSupport

extension Node {
    /// Creates a user or role, or sets the model's access of it.
    func put(_ name: String, by book: AccessBook) async throws {
        var change = AccountChange()
        change.channels = book.model.general[name] ?? []
        let accounts = Accounts(administered.store)
        if name.hasPrefix("role:") {
            try await accounts.put(.role(String(name.dropFirst(5))), change)
        } else {
            change.roles = Set((book.model.roles[name] ?? []).map { String($0.dropFirst(5)) })
            try await accounts.put(.user(name), change)
        }
        book.made.insert(name)
    }
}
