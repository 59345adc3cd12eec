/// A model of access that is independent of the product. Users have plain names, roles `role:NAME`.
package struct AccessModel: Sendable {
    /// The channels for the default collection, which apply to every collection without channels of its own.
    package var general: [String: Set<String>]

    /// The channels for single collections.
    package var own: [String: [String: Set<String>]] = [:]

    /// The roles of users.
    package var roles: [String: Set<String>]

    package init(general: [String: Set<String>] = [:], roles: [String: Set<String>] = [:]) {
        self.general = general
        self.roles = roles
    }

    private func grantees(_ user: String) -> [String] { [user] + (roles[user] ?? []) }

    /// The channels of a user, with those of the user's roles.
    package func channels(of user: String, in collection: String = "") -> Set<String> {
        grantees(user).reduce(into: []) { $0.formUnion(own[$1]?[collection] ?? general[$1] ?? []) }
    }

    /// Whether a user has the collection's own channel.
    package func hasOwnChannel(_ user: String, of collection: String) -> Bool {
        let name = collection.split(separator: ".").last.map(String.init) ?? ""
        return grantees(user).contains { own[$0]?[collection]?.contains(name) == true }
    }

    /// Whether a user with the channels `held` sees a document in the others.
    package static func shows(_ channels: Set<String>, to held: Set<String>) -> Bool {
        held.contains("*") || !channels.isDisjoint(with: held.union(["!"]))
    }
}
