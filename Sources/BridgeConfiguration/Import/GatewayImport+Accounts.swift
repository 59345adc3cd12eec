import Access
import Documents
import Gateway
import Storage

extension GatewayImport {
    mutating func readAccounts(_ section: GatewaySection, collections: Set<CollectionName>) throws -> [YAMLEntry] {
        var entries: [YAMLEntry] = []
        for (key, kind) in [("roles", PrincipalKind.role), ("users", .user)] {
            var accounts: [YAMLEntry] = []
            for member in section[key]?.members ?? [] where member.value != .null && !(kind == .user && member.key == User.guestName) {
                let account = GatewaySection(member.value, path: section.path("\(key).\(member.key)"))
                guard let entry = try readAccount(member.key, account, kind, collections) else { continue }
                accounts.append(entry)
            }
            if !accounts.isEmpty { entries.append(YAMLEntry(key, .mapping(accounts))) }
        }
        return entries
    }

    private mutating func readAccount(
        _ name: String, _ section: GatewaySection, _ kind: PrincipalKind, _ collections: Set<CollectionName>
    ) throws -> YAMLEntry? {
        var members: [YAMLEntry] = []
        if let channels = section["admin_channels"]?.textList { members.append(YAMLEntry("channels", .texts(channels))) }
        let own = readCollectionAccess(section, collections)
        if !own.isEmpty { members.append(YAMLEntry("collections", .mapping(own))) }
        if kind == .user {
            if let roles = section["admin_roles"]?.textList { members.append(YAMLEntry("roles", .texts(roles))) }
            if let email = section["email"]?.string, !email.isEmpty { members.append(YAMLEntry("email", .text(email))) }
            if section["disabled"]?.bool == true { members.append(YAMLEntry("enabled", .plain("false"))) }
        }
        // The name is checked before the password is hashed, because hashing is slow.
        let grantee = Grantee(kind, name)
        let kept = checked([YAMLEntry("account", .mapping(members))], section.path) { root in
            _ = try ConfiguredAccount(root.anyMembers()[0].1, grantee, collections: collections)
        }
        guard !kept.isEmpty else { return nil }
        if kind == .user {
            if let password = section["password"]?.string, !password.isEmpty {
                members.append(YAMLEntry("passwordHash", .text(try hash(password).text)))
            } else if origin != nil {
                members.append(YAMLEntry("upstream", .plain("true")))
            } else {
                notes.append("\(section.path): has no password and cannot log in by one")
            }
        }
        let read: Set<String> = [
            "admin_channels", "admin_roles", "all_channels", "collection_access", "disabled", "email", "name", "password", "roles",
        ]
        let reason = "the user's next login sets it again"
        let tokens = ["jwt_channels", "jwt_roles", "jwt_issuer", "jwt_last_updated"].map { ($0, reason) }
        dropOthers(section, read: read, useless: Dictionary(tokens) { first, _ in first })
        return YAMLEntry(name, .mapping(members))
    }

    private mutating func readCollectionAccess(_ section: GatewaySection, _ known: Set<CollectionName>) -> [YAMLEntry] {
        var entries: [YAMLEntry] = []
        for scope in section["collection_access"]?.members ?? [] {
            for member in scope.value.members ?? [] {
                let path = section.path("collection_access.\(scope.key).\(member.key)")
                guard let channels = member.value["admin_channels"]?.textList else { continue }
                guard let name = CollectionName("\(scope.key).\(member.key)"), known.contains(name), name != .default else {
                    drop(path, "the database has no such collection besides the default one")
                    continue
                }
                entries.append(YAMLEntry(name.description, .texts(channels)))
            }
        }
        return entries
    }
}
