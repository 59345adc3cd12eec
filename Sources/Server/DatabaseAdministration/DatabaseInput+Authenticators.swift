import Access
import BridgeConfiguration
import Documents
import HTTPTypes
import ReplicationService

extension DatabaseInput {
    /// What stands for a secret that is not shown, as in Sync Gateway.
    static let hiddenSecret = "xxxxx"

    private static let secretKey = "validation_key"

    /// Sync Gateway's `google` and `oidc`. `facebook` says only that every app's tokens are good, which is nothing to be asked for by HTTP.
    ///
    /// - Returns: With it, the settings that have no place here.
    static func authenticators(_ member: JSONMember) throws(AdminError) -> (AuthenticatorsConfiguration, unused: [String]) {
        var carried = GatewayAuthenticators()
        carried.read(GatewaySection(.object([member]), path: ""))
        // Who was to vouch for users and cannot is no setting to be passed over.
        if let fault = carried.refused.first { throw AdminError(.badRequest, "\(fault.path): \(fault.reason)") }
        do {
            return (try carried.configuration(), carried.passedOver.map(\.path))
        } catch let error as ConfigurationError {
            throw AdminError(.badRequest, "\(member.key): \(error.message)")
        } catch {
            throw AdminError(.badRequest, "\(member.key): \(error)")
        }
    }

    /// What may be shown.
    var withoutSecrets: JSONValue {
        .object(kept.map { Self.replacingSecrets(in: $0) { _, _ in .string(Self.hiddenSecret) } })
    }

    /// The same with the secrets of the one before, where it has been given back as it was shown.
    func completed(from old: DatabaseInput) throws(AdminError) -> DatabaseInput {
        guard let before = old.json["oidc"] else { return self }
        let completed = kept.map { member in
            Self.replacingSecrets(in: member) { provider, secret in
                guard secret == .string(Self.hiddenSecret) else { return secret }
                return before["providers"]?[provider]?[Self.secretKey] ?? secret
            }
        }
        guard completed != kept else { return self }
        return try overlaid(with: .object(completed.filter { $0.key == "oidc" }))
    }

    private static func replacingSecrets(in member: JSONMember, by value: (String, JSONValue) -> JSONValue) -> JSONMember {
        guard member.key == "oidc" else { return member }
        let members = (member.value.members ?? []).map { entry in
            guard entry.key == "providers" else { return entry }
            let providers = (entry.value.members ?? []).map { provider in
                JSONMember(
                    provider.key,
                    .object(
                        (provider.value.members ?? []).map {
                            $0.key == secretKey ? JSONMember($0.key, value(provider.key, $0.value)) : $0
                        }))
            }
            return JSONMember(entry.key, .object(providers))
        }
        return JSONMember(member.key, .object(members))
    }
}
