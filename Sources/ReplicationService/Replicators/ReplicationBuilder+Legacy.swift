import Access
package import BridgeConfiguration
package import Documents
import Gateway
package import LegacyClient
import Logging
package import Storage

extension ReplicationBuilder {
    /// Builds the push, the pull or both of a replication with a 1.x server.
    func legacy(_ definition: ReplicationDefinition, id: String, _ address: RemoteAddress, _ logger: Logger) throws -> any BridgeReplicator
    {
        var halves: [Replication] = []
        var collection = CollectionName.default
        for (keyspace, name) in try keyspaces(definition) {
            collection = name
            if definition.direction.pulls {
                let pull = try Replication(.pull, localDatabase: keyspace, remoteURL: address.revealed, logger: logger)
                pull.channels = definition.channels
                pull.isUpstream = keyspace.scope == .unified && isUpstream(definition)
                Self.filter(&pull.settings, by: definition)
                halves.append(pull)
            }
            if definition.direction.pushes {
                let push = try Replication(.push, localDatabase: keyspace, remoteURL: address.revealed, logger: logger)
                push.isUpstream = keyspace.scope == .unified && isUpstream(definition)
                if case .javaScript(let source) = definition.filter?.function {
                    // The filter's name becomes part of the checkpoint's ID.
                    push.filter = id
                    push.filterParams = definition.filter?.parameters ?? [:]
                    push.pushFilters = [
                        id: .javaScript(source, name: "\(database.name).replications.\(id).filter", engine: scripts)
                    ]
                }
                halves.append(push)
            }
        }
        for half in halves {
            Self.apply(definition, to: &half.settings)
            half.goesOnAfterRefusals = goesOnAfterRefusals
            half.headers = headers(definition)
            half.parking = Parking(id, in: database)
        }
        return LegacyReplicator(halves, collection: collection.description)
    }

    /// A reader of the database on a 1.x server, which receives what a pull would and stores nothing.
    ///
    /// - Throws: ``ReplicationSetupError``, also for a target that is not a 1.x server.
    package static func reader(_ definition: ReplicationDefinition, patience: Duration? = nil) throws -> LegacyReader {
        guard case .server(let address) = definition.target, address.isLegacy else {
            throw ReplicationSetupError(.address, "only a 1.x server, http: or https:, can be read without replicating it")
        }
        try definition.validate()
        var settings = ReplicationSettings()
        settings.channels = definition.channels
        filter(&settings, by: definition)
        apply(definition, to: &settings)
        return try LegacyReader(remoteURL: address.revealed, settings: settings, patience: patience)
    }

    /// The channels of a server that a replication's login sees; `nil` for all.
    ///
    /// - Throws: ``ReplicationSetupError``; `ReplicationError` if the server cannot be queried.
    package static func seenChannels(_ definition: ReplicationDefinition, patience: Duration? = nil) async throws -> [String]? {
        let reader = try reader(definition.directed(.pull), patience: patience)
        do {
            let seen = try await reader.channels()
            await reader.close()
            return seen
        } catch {
            await reader.close()
            throw error
        }
    }

    /// A user's account as a 1.x server shows it to a replication's login; `nil` if it does not, like a Sync Gateway's public port.
    ///
    /// - Throws: ``ReplicationSetupError``; `ReplicationError` if the server cannot be queried.
    package static func account(_ name: String, at definition: ReplicationDefinition) async throws -> JSONValue? {
        let reader = try reader(definition.directed(.pull))
        do {
            let answer = try await reader.account(name)
            await reader.close()
            return answer
        } catch {
            await reader.close()
            throw error
        }
    }

    /// Whether a 1.x server is recorded in a store as single branch, because it has refused a branch.
    ///
    /// - Throws: the store's errors.
    package static func isSingleBranch(at address: RemoteAddress, in store: any Store) async throws -> Bool {
        address.isLegacy ? try await SingleBranchRecord.isOneLine(address.revealed, in: store) : false
    }

    /// Sets the server's filter of a pull.
    private static func filter(_ settings: inout ReplicationSettings, by definition: ReplicationDefinition) {
        guard case .named(let filter) = definition.filter?.function else { return }
        settings.filter = filter
        settings.filterParams = definition.filter?.parameters ?? [:]
    }

    private static func apply(_ definition: ReplicationDefinition, to settings: inout ReplicationSettings) {
        settings.continuous = definition.continuous
        settings.maxAttempts = definition.maxAttempts
        settings.maxAttemptWait = definition.maxAttemptWait
        settings.documentIDs = definition.documentIDs.isEmpty ? nil : definition.documentIDs
        settings.headers = definition.headers.mapValues { $0.revealed }
        if definition.heartbeat > 0 { settings.customProperties = ["heartbeat": .number(String(definition.heartbeat * 1_000))] }
        settings.proxy = definition.proxy?.address
        settings.createTarget = definition.createsTarget
        settings.pinnedServerCertificate = definition.pinnedCertificate
        settings.selfSignedServersOnly = definition.selfSignedOnly
        switch definition.credentials {
        case .basic(let user, let password):
            settings.authenticator = .basicAuthenticator(name: user, password: password.revealed)
        case .facebook(let token): settings.authenticator = .facebookAuthenticator(token: token.revealed)
        case .persona(let assertion): settings.authenticator = .personaAuthenticator(assertion: assertion.revealed)
        case .session(let session, let name): settings.setCookie(name: name, value: session.revealed)
        case .cookie(let cookie):
            settings.setCookie(
                name: cookie.name, value: cookie.value.revealed, path: cookie.path, expires: cookie.expires, secure: cookie.isSecure,
                httpOnly: cookie.isHTTPOnly)
        case .clientCertificate(let chain, let key):
            settings.clientIdentity = ReplicationIdentity(certificateChain: chain, privateKey: Array(key.revealed.utf8))
        case nil: break
        }
    }
}
