import Authentication
import BridgeConfiguration
import Documents
import HTTPTypes
import ReplicationService

extension DatabaseInput {
    /// The placeholder for a secret, as in Sync Gateway.
    static let hiddenSecret = "xxxxx"

    private static let secretKey = "validation_key"

    /// Reads Sync Gateway's `google` and `oidc`. `facebook` is not supported over HTTP: it would only declare the tokens of every app
    /// valid.
    ///
    /// - Returns: The configuration, and the paths of ignored settings.
    static func authenticators(_ member: JSONMember) throws(AdminError) -> (AuthenticatorsConfiguration, unused: [String]) {
        var carried = GatewayAuthenticators()
        carried.read(GatewaySection(.object([member]), path: ""))
        // A verifier that cannot be configured is an error, not an ignored setting.
        if let fault = carried.refused.first { throw AdminError(.badRequest, "\(fault.path): \(fault.reason)") }
        do {
            return (try carried.configuration(), carried.passedOver.map(\.path))
        } catch let error as ConfigurationError {
            throw AdminError(.badRequest, "\(member.key): \(error.message)")
        } catch {
            throw AdminError(.badRequest, "\(member.key): \(error)")
        }
    }

    /// The input with placeholders for secrets.
    var withoutSecrets: JSONValue {
        .object(storedMembers.map { Self.replacingSecrets(in: $0) { _, _ in .string(Self.hiddenSecret) } })
    }

    /// The input with the secrets of the earlier one wherever it has placeholders.
    func completed(from old: DatabaseInput) throws(AdminError) -> DatabaseInput {
        guard let before = old.json["oidc"] else { return self }
        let completed = storedMembers.map { member in
            Self.replacingSecrets(in: member) { provider, secret in
                guard secret == .string(Self.hiddenSecret) else { return secret }
                return before["providers"]?[provider]?[Self.secretKey] ?? secret
            }
        }
        guard completed != storedMembers else { return self }
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
