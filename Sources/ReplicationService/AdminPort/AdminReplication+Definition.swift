import Access
import BridgeConfiguration
import Documents
import Gateway
import HTTPTypes
import Storage

extension AdminReplication {
    /// The definition of the replication.
    ///
    /// - Throws: ``AdminError``, in Sync Gateway's words where it has such an error.
    func definition(in database: Database) throws(AdminError) -> ReplicationDefinition {
        guard (1...ReplicationDefinition.maximumNameLength).contains(id.utf8.count) else {
            throw refused("Replication ID must be at most \(ReplicationDefinition.maximumNameLength) characters")
        }
        guard let remote = try text("remote"), !remote.isEmpty else { throw refused("Replication remote must be specified.") }
        do {
            let address = try RemoteAddress(remote)
            var definition = ReplicationDefinition(target: .server(address))
            definition.direction = try direction()
            definition.continuous = try flag("continuous") ?? false
            definition.credentials = try credentials()
            definition.purgesOnRemoval = try flag("purge_on_removal") ?? false
            if !address.isLegacy { definition.usesDeltas = try flag("enable_delta_sync") }
            if !address.isLegacy { definition.prefersVersions = try flag("prefer_versions") }
            definition.resolver = try resolver()
            definition.collections = try collections(of: database)
            try readFilter(into: &definition)
            let minutes = try number("max_backoff_time", in: 0...1_440) ?? 0
            definition.maxAttemptWait = minutes * 60
            guard self["run_as"] == nil else { throw refused("run_as is not supported: replications run as an administrator") }
            if isAdHoc, startsStopped { throw refused("Setting initial_state=stopped is not valid for replications specifying adhoc=true") }
            try definition.validate()
            return definition
        } catch let error as ReplicationSetupError {
            throw refused("Replication is invalid: \(error.message)")
        } catch let error as AdminError {
            throw error
        } catch {
            throw refused("\(error)")
        }
    }

    private func direction() throws(AdminError) -> DefinedDirection {
        guard let text = try text("direction"), !text.isEmpty else { throw refused("Replication direction must be specified") }
        switch text {
        case "push": return .push
        case "pull": return .pull
        case "pushAndPull": return .pushAndPull
        default: throw refused("Invalid replication direction \"\(text)\", valid values are push/pull/pushAndPull")
        }
    }

    private func credentials() throws(AdminError) -> ReplicationCredentials? {
        let (user, deprecatedUser) = (try text("remote_username"), try text("username"))
        let (password, deprecatedPassword) = (try text("remote_password"), try text("password"))
        guard let user = user ?? deprecatedUser, !user.isEmpty else { return nil }
        return .basic(user: user, password: Secret(password ?? deprecatedPassword ?? ""))
    }

    private func resolver() throws(AdminError) -> ReplicationResolver {
        switch try text("conflict_resolution_type") ?? "default" {
        case "", "default": return .default
        case "localWins": return .localWins
        case "remoteWins": return .remoteWins
        case "custom":
            guard let source = try text("custom_conflict_resolver"), !source.isEmpty else {
                throw refused("Custom conflict resolution type has been set but no conflict resolution function has been defined")
            }
            return .javaScript(source)
        case let other:
            throw refused("Conflict resolution type is invalid: \(other); valid values are default/localWins/remoteWins/custom")
        }
    }

    private func collections(of database: Database) throws(AdminError) -> [ReplicatedName] {
        guard try flag("collections_enabled") == true else { return [] }
        let locals: [CollectionName]
        if let names = try texts("collections_local"), !names.isEmpty {
            locals = try names.map { (name) throws(AdminError) in try collection(name) }
        } else {
            locals = database.collectionRecords.map { CollectionName(scope: $0.scope, name: $0.name) }
        }
        guard let remotes = self["collections_remote"]?.array, !remotes.isEmpty else { return locals.map { ReplicatedName($0) } }
        guard remotes.count == locals.count else {
            throw refused("collections_remote must have as many entries as collections_local")
        }
        var collections: [ReplicatedName] = []
        for (local, remote) in zip(locals, remotes) {
            collections.append(ReplicatedName(local, remote: try remote.string.map { (name) throws(AdminError) in try collection(name) }))
        }
        return collections
    }

    private func collection(_ text: String) throws(AdminError) -> CollectionName {
        guard let name = CollectionName(text) else { throw refused("\"\(text)\" is not a collection's name") }
        return name
    }

    private func readFilter(into definition: inout ReplicationDefinition) throws(AdminError) {
        guard let filter = try text("filter"), !filter.isEmpty else { return }
        let parameters = self["query_params"]
        guard filter == "sync_gateway/bychannel" else {
            guard definition.target.isLegacy else { throw refused("Unknown replication filter; try sync_gateway/bychannel") }
            let members = parameters?.members ?? []
            definition.filter = ReplicationFilterChoice(
                .named(filter), parameters: Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first })
            return
        }
        guard let channels = parameters?.array ?? parameters?["channels"]?.array else {
            throw refused("Replication specifies sync_gateway/bychannel filter but is missing query_params")
        }
        definition.channels = channels.compactMap(\.string)
        guard !channels.isEmpty, definition.channels.count == channels.count else {
            throw refused("Bad channels in query_params for sync_gateway/bychannel filter")
        }
    }

    private func text(_ key: String) throws(AdminError) -> String? {
        guard let value = self[key] else { return nil }
        guard let text = value.string else { throw refused("Bad JSON: \"\(key)\" has to be a string") }
        return text
    }

    private func flag(_ key: String) throws(AdminError) -> Bool? {
        guard let value = self[key] else { return nil }
        guard let flag = value.bool else { throw refused("Bad JSON: \"\(key)\" has to be true or false") }
        return flag
    }

    private func number(_ key: String, in range: ClosedRange<Int>) throws(AdminError) -> Int? {
        guard let value = self[key] else { return nil }
        guard let number = value.int, range.contains(number) else {
            throw refused("Bad JSON: \"\(key)\" has to be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func texts(_ key: String) throws(AdminError) -> [String]? {
        guard let value = self[key] else { return nil }
        let texts = value.array?.compactMap(\.string)
        guard let texts, texts.count == value.array?.count else { throw refused("Bad JSON: \"\(key)\" has to be a list of strings") }
        return texts
    }

    private func refused(_ reason: String) -> AdminError { AdminError(.badRequest, reason) }
}
