import Access
import Documents
import Gateway
import LegacyReplication
import Logging

extension ReplicationBuilder {
    /// The push, the pull or both of a replication with a 1.x server.
    func legacy(_ definition: ReplicationDefinition, id: String, _ address: RemoteAddress, _ logger: Logger) throws -> any Replication {
        var halves: [LegacyReplication.Replication] = []
        var collection = CollectionName.default
        for (keyspace, name) in try keyspaces(definition) {
            collection = name
            if definition.direction.pulls {
                let pull = try LegacyReplication.Replication(.pull, localDatabase: keyspace, remoteURL: address.revealed, logger: logger)
                pull.channels = definition.channels
                if case .named(let filter) = definition.filter?.function {
                    pull.filter = filter
                    pull.filterParams = definition.filter?.parameters ?? [:]
                }
                halves.append(pull)
            }
            if definition.direction.pushes {
                let push = try LegacyReplication.Replication(.push, localDatabase: keyspace, remoteURL: address.revealed, logger: logger)
                if case .javaScript(let source) = definition.filter?.function {
                    // Under this name it enters the checkpoint's ID.
                    push.filter = id
                    push.filterParams = definition.filter?.parameters ?? [:]
                    push.pushFilters = [
                        id: .javaScript(source, name: "\(database.name).replications.\(id).filter", engine: scripts)
                    ]
                }
                halves.append(push)
            }
        }
        for half in halves { Self.set(half, definition) }
        return LegacyReplicator(halves, collection: collection.description)
    }

    private static func set(_ half: LegacyReplication.Replication, _ definition: ReplicationDefinition) {
        half.continuous = definition.continuous
        half.documentIDs = definition.documentIDs.isEmpty ? nil : definition.documentIDs
        half.headers = definition.headers.mapValues { $0.revealed }
        if definition.heartbeat > 0 { half.customProperties = ["heartbeat": .number(String(definition.heartbeat * 1_000))] }
        half.pinnedServerCertificate = definition.pinnedCertificate
        half.selfSignedServersOnly = definition.selfSignedOnly
        switch definition.credentials {
        case .basic(let user, let password):
            half.authenticator = .basicAuthenticator(name: user, password: password.revealed)
        case .facebook(let token): half.authenticator = .facebookAuthenticator(token: token.revealed)
        case .persona(let assertion): half.authenticator = .personaAuthenticator(assertion: assertion.revealed)
        case .session(let session, let name): half.setCookie(name: name, value: session.revealed)
        case .cookie(let cookie):
            half.setCookie(
                name: cookie.name, value: cookie.value.revealed, path: cookie.path, expires: cookie.expires, secure: cookie.isSecure,
                httpOnly: cookie.isHTTPOnly)
        case .clientCertificate(let chain, let key):
            half.clientIdentity = ReplicationIdentity(certificateChain: chain, privateKey: Array(key.revealed.utf8))
        case nil: break
        }
    }
}
