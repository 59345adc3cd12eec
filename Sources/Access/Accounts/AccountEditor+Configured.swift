import Documents
package import Storage

extension AccountEditor {
    /// The setting with the users and roles that the configuration has created.
    private static let setting = "access.configured"

    /// The users and roles that neither the configuration nor an administrator has created yet.
    package static func missing(of grantees: [Grantee], in snapshot: any StoreSnapshot) throws -> Set<Grantee> {
        let known = try created(in: snapshot)
        return Set(try grantees.filter { try !known.contains(label(of: $0)) && snapshot.principal($0) == nil })
    }

    /// Creates the missing users and roles of the configuration. Each is created once: a later change or deletion by an administrator persists.
    package func bring(_ accounts: [(grantee: Grantee, change: AccountChange)]) throws {
        let missing = try Self.missing(of: accounts.map(\.grantee), in: transaction)
        var labels = try Self.created(in: transaction)
        let before = labels.count
        for (grantee, change) in accounts {
            labels.insert(Self.label(of: grantee))
            if missing.contains(grantee) { _ = try put(grantee, change, isMoving: true) }
        }
        guard labels.count > before else { return }
        var bytes: [UInt8] = []
        JSONValue.array(labels.map(\.string).sorted().map { .string($0) }).append(to: &bytes)
        try transaction.set(String(decoding: bytes, as: UTF8.self), forSetting: Self.setting)
    }

    private static func created(in snapshot: any StoreSnapshot) throws -> Set<ExactString> {
        guard let text = try snapshot.setting(setting) else { return [] }
        do {
            return Set((try JSONValue(Array(text.utf8)).array ?? []).compactMap { $0.string.map { ExactString($0) } })
        } catch {
            throw AccessError(.damaged, "the store's setting `\(setting)` is not JSON: run `dualgauge check` on the store", cause: error)
        }
    }

    private static func label(of grantee: Grantee) -> ExactString { ExactString("\(grantee.kind) \(grantee.name)") }
}
