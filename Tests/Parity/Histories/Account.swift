/// An administrator's definition of a user, of a role (`role:NAME`) or of the guest.
struct Account: Hashable {
    var name: String
    var keyspace = ""
    var channels: [String]?
    var roles: [String]?

    /// For the guest only: whether the guest may not connect.
    var isDisabled = false

    static let rolePrefix = "role:"

    /// The name without `role:`, and whether it is a role's name.
    static func split(_ name: String) -> (name: String, isRole: Bool) {
        name.hasPrefix(rolePrefix) ? (String(name.dropFirst(rolePrefix.count)), true) : (name, false)
    }
}

extension Account: CustomStringConvertible {
    var description: String {
        var text = "account \(name)"
        if !keyspace.isEmpty { text += " in=\(keyspace)" }
        if let channels { text += " channels=\(channels.joined(separator: ","))" }
        if let roles { text += " roles=\(roles.joined(separator: ","))" }
        if isDisabled { text += " disabled" }
        return text
    }

    init(parsing line: String) throws {
        let words = Words(line)
        guard words.plain.count > 1 else { throw HistoryTextError(line: line) }
        self.init(
            name: words.plain[1], keyspace: words.values["in"] ?? "", channels: words.list("channels"), roles: words.list("roles"),
            isDisabled: words.has("disabled"))
    }
}
