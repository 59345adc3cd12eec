/// Who may see what: by this model, not by the product. Users are named plainly, roles as `role:NAME`.
package struct AccessModel: Sendable {
    /// The channels of the default collection, which hold everywhere but where others were said.
    package var general: [String: Set<String>]

    /// Channels that were said for one collection.
    package var own: [String: [String: Set<String>]] = [:]

    /// The roles of users.
    package var roles: [String: Set<String>]

    package init(general: [String: Set<String>] = [:], roles: [String: Set<String>] = [:]) {
        self.general = general
        self.roles = roles
    }

    private func grantees(_ user: String) -> [String] { [user] + (roles[user] ?? []) }

    /// What a user is given, by roles as well.
    package func channels(of user: String, in collection: String = "") -> Set<String> {
        grantees(user).reduce(into: []) { $0.formUnion(own[$1]?[collection] ?? general[$1] ?? []) }
    }

    /// Whether somebody was given the collection's own channel.
    package func hasOwnChannel(_ user: String, of collection: String) -> Bool {
        let name = collection.split(separator: ".").last.map(String.init) ?? ""
        return grantees(user).contains { own[$0]?[collection]?.contains(name) == true }
    }

    /// Whether who holds some channels sees a document that is in others.
    package static func shows(_ channels: Set<String>, to held: Set<String>) -> Bool {
        held.contains("*") || !channels.isDisjoint(with: held.union(["!"]))
    }
}
