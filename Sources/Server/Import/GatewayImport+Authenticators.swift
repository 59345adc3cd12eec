import Access
import Documents
import Foundation

extension GatewayImport {
    /// Reads what 1.x and 2.x have beside the databases.
    mutating func readShared(_ key: String, _ section: GatewaySection) {
        let register = YAMLEntry("register", .plain(section["register"]?.bool == true ? "true" : "false"))
        // Sync Gateway's users of these kinds are found by their address.
        let email = YAMLEntry("emailFallback", .plain("true"))
        switch key {
        case "facebook":
            notes.append(
                "\(section.path): tokens of every Facebook app are accepted, as Sync Gateway does; name yours as `appID` in place of `allowAnyApp`"
            )
            sharedAuthenticators.append(YAMLEntry(key, .mapping([YAMLEntry("allowAnyApp", .plain("true")), register, email])))
        case "google":
            let apps = section["app_client_id"]?.textList ?? []
            let entry = YAMLEntry(key, .mapping([YAMLEntry("appID", .texts(apps)), register, email]))
            sharedAuthenticators += checked([entry], section.path) { root in _ = try GoogleConfiguration(root.anyMembers()[0].1) }
        default:
            drop(
                section.path, "persona.org has been shut down; if you have a verifier, configure it as `persona.verifierURL` and `audience`"
            )
        }
    }

    mutating func readAuthenticators(_ section: GatewaySection) -> [YAMLEntry] {
        var entries = sharedAuthenticators
        for key in ["facebook", "google", "persona"] {
            guard let json = section[key] else { continue }
            readShared(key, GatewaySection(json, path: section.path(key)))
            entries = sharedAuthenticators
        }
        let providers = readProviders(section)
        if !providers.isEmpty { entries.append(YAMLEntry("oidc", .list(providers))) }
        return entries.isEmpty ? [] : [YAMLEntry("authenticators", .mapping(entries))]
    }

    /// The default provider comes first.
    private mutating func readProviders(_ section: GatewaySection) -> [[YAMLEntry]] {
        guard let json = section["oidc"] else { return [] }
        let oidc = GatewaySection(json, path: section.path("oidc"))
        let standard = oidc["default_provider"]?.string
        let members = (oidc["providers"]?.members ?? []).filter { $0.value != .null }
        let ordered = members.filter { $0.key == standard } + members.filter { $0.key != standard }
        return ordered.compactMap { member in
            let provider = GatewaySection(member.value, path: oidc.path("providers.\(member.key)"))
            let entries = readProvider(member.key, provider)
            let kept = checked(entries, provider.path) { root in _ = try OpenIDConfiguration.all(root) }
            return kept.isEmpty ? nil : kept
        }
    }

    private mutating func readProvider(_ name: String, _ section: GatewaySection) -> [YAMLEntry] {
        var entries = [YAMLEntry("name", .text(name))]
        let texts = [
            "issuer": "issuer", "client_id": "clientID", "validation_key": "clientSecret", "callback_url": "callbackURL",
            "user_prefix": "userPrefix", "username_claim": "usernameClaim", "roles_claim": "rolesClaim", "channels_claim": "channelsClaim",
            "discovery_url": "discoveryURL",
        ]
        for member in section.members {
            let key = member.key.lowercased()
            switch key {
            case "register": entries.append(YAMLEntry("register", .plain("\(member.value.bool == true)")))
            case "include_access": entries.append(YAMLEntry("includeAccessToken", .plain("\(member.value.bool == true)")))
            case "disable_callback_state": entries.append(YAMLEntry("callbackState", .plain("\(member.value.bool != true)")))
            case "scope":
                let scopes = member.value.textList ?? []
                if !scopes.isEmpty { entries.append(YAMLEntry("scopes", .texts(scopes.contains("openid") ? scopes : ["openid"] + scopes))) }
            default:
                guard let ours = texts[key] else {
                    drop(section.path(member.key), "an ID token is always verified, and a login always begins a session")
                    continue
                }
                if let text = member.value.string, !text.isEmpty { entries.append(YAMLEntry(ours, .text(text))) }
            }
        }
        return entries
    }
}
