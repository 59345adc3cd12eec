package import Authentication
import Documents
import Foundation

/// The authentication settings of a Sync Gateway configuration, translated into the bridge's `authenticators`.
package struct GatewayAuthenticators {
    /// Members of `authenticators`.
    private(set) var entries: [YAMLEntry] = []

    /// Settings without an equivalent in the bridge, and whole authenticators that would not work.
    package private(set) var passedOver: [GatewayImport.Dropped] = []
    package private(set) var refused: [GatewayImport.Dropped] = []
    private(set) var notes: [String] = []

    package init() {}

    /// Parses the translated entries.
    ///
    /// - Throws: ``ConfigurationError``.
    package func configuration() throws -> AuthenticatorsConfiguration {
        try ConfigurationFile.content(of: YAMLNode.mapping(entries).rendered) { node in
            try AuthenticatorsConfiguration(node, folder: URL(fileURLWithPath: "/"))
        }
    }

    /// Reads `facebook`, `google` and `persona`, which are server settings in 1.x and 2.x, and `oidc`.
    package mutating func read(_ section: GatewaySection) {
        for key in ["facebook", "google", "persona", "oidc"] {
            guard let json = section[key] else { continue }
            read(key, GatewaySection(json, path: section.path(key)))
        }
    }

    private mutating func read(_ key: String, _ section: GatewaySection) {
        let register = YAMLEntry("register", .plain(section["register"]?.bool == true ? "true" : "false"))
        // Sync Gateway finds the users of these authenticators by their email address.
        let email = YAMLEntry("emailFallback", .plain("true"))
        let known = ["facebook": ["register"], "google": ["register", "app_client_id"], "oidc": ["providers", "default_provider"]]
        for member in section.members where known[key]?.contains(member.key.lowercased()) == false {
            passedOver.append(GatewayImport.Dropped(path: section.path(member.key), reason: GatewayImport.unknown, matters: true))
        }
        switch key {
        case "facebook":
            notes.append(
                "\(section.path): tokens of every Facebook app are accepted, as Sync Gateway does; name yours as `appID` in place of `allowAnyApp`"
            )
            entries.append(YAMLEntry(key, .mapping([YAMLEntry("allowAnyApp", .plain("true")), register, email])))
        case "google":
            let apps = section["app_client_id"]?.textList ?? []
            let entry = YAMLEntry(key, .mapping([YAMLEntry("appID", .texts(apps)), register, email]))
            entries += accepted([entry], section.path) { root in _ = try GoogleConfiguration(root.anyMembers()[0].1) }
        case "oidc":
            let providers = readProviders(section)
            if !providers.isEmpty { entries.append(YAMLEntry(key, .list(providers))) }
        default:
            refuse(
                section.path, "persona.org has been shut down; if you have a verifier, configure it as `persona.verifierURL` and `audience`"
            )
        }
    }

    /// Reads the OpenID providers, the default provider first.
    private mutating func readProviders(_ section: GatewaySection) -> [[YAMLEntry]] {
        let standard = section["default_provider"]?.string
        let members = (section["providers"]?.members ?? []).filter { $0.value != .null }
        let ordered = members.filter { $0.key == standard } + members.filter { $0.key != standard }
        return ordered.compactMap { member in
            let provider = GatewaySection(member.value, path: section.path("providers.\(member.key)"))
            let entries = readProvider(member.key, provider)
            let kept = accepted(entries, provider.path) { root in _ = try OpenIDConfiguration.all(root) }
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
                    let reason = "an ID token is always verified, and a login always begins a session"
                    passedOver.append(GatewayImport.Dropped(path: section.path(member.key), reason: reason, matters: true))
                    continue
                }
                if let text = member.value.string, !text.isEmpty { entries.append(YAMLEntry(ours, .text(text))) }
            }
        }
        return entries
    }

    /// Returns the entries if the bridge's configuration accepts them; otherwise drops them.
    private mutating func accepted(
        _ entries: [YAMLEntry], _ path: String, _ read: (ConfigurationNode) throws -> Void
    ) -> [YAMLEntry] {
        guard let reason = YAMLEntry.refusal(of: entries, by: read) else { return entries }
        refuse(path, reason)
        return []
    }

    private mutating func refuse(_ path: String, _ reason: String) {
        refused.append(GatewayImport.Dropped(path: path, reason: reason, matters: true))
    }
}

extension GatewayImport {
    /// The authenticators of one database: the server's, overridden by the database's own.
    mutating func readAuthenticators(_ section: GatewaySection) -> [YAMLEntry] {
        let own = translatedAuthenticators(section)
        let shared = sharedAuthenticators.filter { entry in !own.contains { $0.key == entry.key } }
        let entries = shared + own
        return entries.isEmpty ? [] : [YAMLEntry("authenticators", .mapping(entries))]
    }

    /// Translates the authenticators of a section, and records the dropped settings and the notes.
    mutating func translatedAuthenticators(_ section: GatewaySection) -> [YAMLEntry] {
        var authenticators = GatewayAuthenticators()
        authenticators.read(section)
        dropped += authenticators.passedOver + authenticators.refused
        notes += authenticators.notes
        return authenticators.entries
    }
}
