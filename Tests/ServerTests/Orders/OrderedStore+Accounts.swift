import Access
import Gateway
import Storage
import TestSupport
import Testing

@testable import Server

/// Administrators' changes of users and roles.
extension OrderedStore {
    func changeAccess() async throws {
        let grantee = pick(["anna", "anna", "bert", "dora", "role:team"])
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1:
            let channels = (grants.general[grantee] ?? []).union([pick(["a", "b", "z", "orders", "p", chance(1, in: 3) ? "*" : "a"])])
            note("gives \(grantee) \(channels.sorted())")
            grants.general[grantee] = channels
        case 2, 3:
            guard let channel = grants.general[grantee]?.sorted().last else { return }
            note("takes \(channel) from \(grantee)")
            grants.general[grantee]?.remove(channel)
        case 4:
            let collection = pick(Self.collections)
            let channels = Set((0..<2).map { _ in pick(["a", "b", "orders", "customers", "p", chance(1, in: 3) ? "*" : "z"]) })
            let said = chance(1, in: 4) ? [] : channels
            note("gives \(grantee) \(said.sorted()) in \(collection)")
            grants.own[grantee, default: [:]][collection] = said
        case 5:
            guard let collection = grants.own[grantee]?.keys.sorted().first else { return }
            note("takes back what \(grantee) was given in \(collection)")
            grants.own[grantee]?[collection] = nil
        default:
            let user = pick(["anna", "dora"])
            grants.roles[user] = (grants.roles[user] ?? []).symmetricDifference(["role:team"])
            note("\(user) has the roles \((grants.roles[user] ?? []).sorted())")
            return try await put(user)
        }
        try await put(grantee)
    }

    /// Writes the model's grants of a user or role.
    func put(_ name: String) async throws {
        var change = AccountChange()
        change.channels = grants.general[name] ?? []
        for collection in Self.collections {
            guard let known = CollectionName(collection), let key = try database.collectionKey(known) else { continue }
            change.collections[key] = .some(grants.own[name]?[collection])
        }
        let accounts = try #require(registry[self.name]).access.accounts
        if name.hasPrefix("role:") {
            try await accounts.put(.role(String(name.dropFirst(5))), change)
        } else {
            change.roles = Set((grants.roles[name] ?? []).map { String($0.dropFirst(5)) })
            try await accounts.put(.user(name), change)
        }
    }
}
