import Documents
import Foundation
import Gateway

extension GatewayImport {
    /// Reads a database's replications with other Sync Gateways, 2.8 and later. They use the 2.x+ protocol for any scheme of the URL.
    mutating func readReplications(_ section: GatewaySection, collections: Set<CollectionName>) -> [YAMLEntry] {
        (section["replications"]?.members ?? []).compactMap { member in
            let replication = GatewaySection(member.value, path: section.path("replications.\(member.key)"))
            guard replication["initial_state"]?.string != "stopped" else {
                drop(
                    replication.path,
                    "the replication does not start with the server; start a replication on the admin port when you need it")
                return nil
            }
            if replication["conflict_resolution_type"]?.string == "custom",
                let fault = functions.fault(replication["custom_conflict_resolver"]?.string ?? "")
            {
                drop(
                    replication.path("custom_conflict_resolver"),
                    "the resolver cannot be carried over, and with it the replication: \(fault)")
                return nil
            }
            let members = modern(replication)
            return kept(member.key, members, replication.path, collections)
        }
    }

    private mutating func modern(_ section: GatewaySection) -> [YAMLEntry] {
        var remote = section["remote"]?.string ?? ""
        for (http, socket) in [("https://", "wss://"), ("http://", "ws://")] where remote.lowercased().hasPrefix(http) {
            remote = socket + remote.dropFirst(http.count)
        }
        let direction = section["direction"]?.string ?? ""
        var entries = [
            YAMLEntry("remote", .text(remote)),
            YAMLEntry("direction", .text(direction == "pushAndPull" ? "push-and-pull" : direction)),
            YAMLEntry("continuous", .plain(section["continuous"]?.bool == true ? "true" : "false")),
            YAMLEntry("autoPurge", .plain(section["purge_on_removal"]?.bool == true ? "true" : "false")),
        ]
        if let user = (section["remote_username"] ?? section["username"])?.string, !user.isEmpty {
            let password = YAMLEntry("password", password(section))
            entries.append(YAMLEntry("auth", .mapping([YAMLEntry("basic", .mapping([YAMLEntry("user", .text(user)), password]))])))
        }
        entries += filter(section)
        if let minutes = section["max_backoff_time"]?.int, minutes > 0 {
            entries.append(YAMLEntry("maxAttemptWait", .plain("\(minutes)m")))
        }
        entries += resolver(section)
        if section["collections_enabled"]?.bool == true { entries += replicatedCollections(section) }
        if section["enable_delta_sync"]?.bool == true { entries.append(YAMLEntry("deltaSync", .plain("true"))) }
        let reason = "not used here: a replication runs as an administrator, and the size of its batches is fixed"
        let ofRequest = "it is an option of a single request"
        dropOthers(
            section, read: Self.readSettings,
            useless: ["batch_size": reason, "run_as": reason, "cancel": ofRequest, "adhoc": ofRequest])
        return entries
    }

    private static let readSettings: Set<String> = [
        "replication_id", "remote", "direction", "continuous", "purge_on_removal", "remote_username", "username", "remote_password",
        "password", "filter", "query_params", "max_backoff_time", "conflict_resolution_type", "custom_conflict_resolver",
        "collections_enabled", "collections_local", "collections_remote", "enable_delta_sync", "initial_state",
    ]

    /// The password of a replication. A running server masks it with `*` or `x`; the imported file then reads it from the environment.
    private mutating func password(_ section: GatewaySection) -> YAMLNode {
        let text = (section["remote_password"] ?? section["password"])?.string ?? ""
        guard origin != nil, !text.isEmpty, text.allSatisfy({ $0 == "*" || $0 == "x" }) else { return .text(text) }
        let name = section.path.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        let variable = String(name) + "_PASSWORD"
        notes.append("\(section.path): set \(variable) in the environment to the password; a running server does not show it")
        return .variable(variable)
    }

    /// Reads the settings that select the replicated documents.
    private mutating func filter(_ section: GatewaySection) -> [YAMLEntry] {
        guard let name = section["filter"]?.string, !name.isEmpty else { return [] }
        let parameters = section["query_params"]
        let channels = parameters?.textList ?? parameters?["channels"]?.textList
        guard name == "sync_gateway/bychannel", let channels else {
            if parameters != nil { drop(section.path("query_params"), "write the filter's parameters as `filter.params`") }
            return [YAMLEntry("filter", .mapping([YAMLEntry("name", .text(name))]))]
        }
        return [YAMLEntry("channels", .texts(channels.flatMap { $0.split(separator: ",").map(String.init) }))]
    }

    private func resolver(_ section: GatewaySection) -> [YAMLEntry] {
        switch section["conflict_resolution_type"]?.string {
        case nil, "", "default": return []
        case "localWins": return [YAMLEntry("resolver", .text("local-wins"))]
        case "remoteWins": return [YAMLEntry("resolver", .text("remote-wins"))]
        case "custom":
            let source = functions.source(section["custom_conflict_resolver"]?.string ?? "") ?? ""
            return [YAMLEntry("resolver", .mapping([YAMLEntry("javascript", .text(source))]))]
        case let other?: return [YAMLEntry("resolver", .text(other))]
        }
    }

    private func replicatedCollections(_ section: GatewaySection) -> [YAMLEntry] {
        guard let locals = section["collections_local"]?.textList else { return [] }
        guard let remotes = section["collections_remote"]?.array, remotes.count == locals.count else {
            return [YAMLEntry("collections", .texts(locals))]
        }
        return [YAMLEntry("collections", .mapping(zip(locals, remotes).map { YAMLEntry($0, .text($1.string ?? $0)) }))]
    }

    /// Reads the replications of 1.x and 2.x, which are server settings and lead from one URL to another. They use the 1.x protocol.
    mutating func readServerReplications(_ replications: [JSONValue]) {
        for (index, json) in replications.enumerated() {
            let section = GatewaySection(json, path: "replications[\(index)]")
            let name = section["replication_id"]?.string ?? "replication-\(index + 1)"
            let (source, target) = (section["source"]?.string ?? "", section["target"]?.string ?? "")
            guard let local = localDatabase(source) ?? localDatabase(target) else {
                drop(section.path, "neither its source nor its target is a database of this file")
                continue
            }
            let isPush = localDatabase(source) != nil
            let entries =
                [
                    YAMLEntry("remote", .text(isPush ? target : source)), YAMLEntry("direction", .plain(isPush ? "push" : "pull")),
                    YAMLEntry("continuous", .plain(section["continuous"]?.bool == true ? "true" : "false")),
                ] + filter(section)
            dropOthers(
                section, read: ["replication_id", "source", "target", "continuous", "filter", "query_params"],
                useless: ["async": "all replications run concurrently", "changes_feed_limit": "the size of batches is fixed"])
            guard let entry = kept(name, entries, section.path, [.default]) else { continue }
            append(entry, to: local)
        }
    }

    /// The database of this configuration that a URL or a bare name refers to.
    private func localDatabase(_ text: String) -> String? {
        if databases.contains(text) { return text }
        guard let url = URLComponents(string: text), ["localhost", "127.0.0.1", "[::1]", "::1"].contains(url.host ?? "") else { return nil }
        let name = url.path.split(separator: "/").map(String.init)
        return name.count == 1 && databases.contains(name[0]) ? name[0] : nil
    }

    private mutating func kept(
        _ name: String, _ entries: [YAMLEntry], _ path: String, _ collections: Set<CollectionName>
    ) -> YAMLEntry? {
        guard (1...ReplicationDefinition.maximumNameLength).contains(name.utf8.count) else {
            drop(path, "a replication's name has 1 to \(ReplicationDefinition.maximumNameLength) bytes")
            return nil
        }
        let folder = URL(fileURLWithPath: "/", isDirectory: true)
        let kept = checked(entries, path) { root in _ = try ReplicationDefinition(root, folder: folder, collections: collections) }
        return kept.isEmpty ? nil : YAMLEntry(name, .mapping(kept))
    }

    private mutating func append(_ entry: YAMLEntry, to database: String) {
        guard let index = entries.firstIndex(where: { $0.key == database }), case .mapping(var members) = entries[index].value else {
            return
        }
        if let place = members.firstIndex(where: { $0.key == "replications" }), case .mapping(let others) = members[place].value {
            members[place] = YAMLEntry("replications", .mapping(others.filter { $0.key != entry.key } + [entry]))
        } else {
            members.append(YAMLEntry("replications", .mapping([entry])))
        }
        entries[index] = YAMLEntry(database, .mapping(members))
    }
}
