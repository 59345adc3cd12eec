package import BridgeConfiguration
package import Documents
import Gateway

/// Sync Gateway's JSON of replications and their status (`db/sg_replicate_cfg.go` of Sync Gateway 3.x).
package enum ReplicationOutput {
    /// A replication of the configuration, without secrets.
    package static func members(_ definition: ReplicationDefinition, id: String) -> [JSONMember] {
        var members = [
            JSONMember("replication_id", .string(id)), JSONMember("remote", .string(definition.target.description)),
        ]
        if !definition.collections.isEmpty {
            members.append(JSONMember("collections_enabled", .bool(true)))
            members.append(JSONMember("collections_local", .array(definition.collections.map { .string($0.local.description) })))
            members.append(JSONMember("collections_remote", .array(definition.collections.map { .string($0.remote.description) })))
        }
        if case .basic(let user, _) = definition.credentials {
            members.append(JSONMember("remote_username", .string(user)))
            members.append(JSONMember("remote_password", .string("****")))
        }
        members.append(
            JSONMember("direction", .string(definition.direction == .pushAndPull ? "pushAndPull" : definition.direction.rawValue)))
        members.append(JSONMember("conflict_resolution_type", .string(name(definition.resolver))))
        if case .javaScript(let source) = definition.resolver { members.append(JSONMember("custom_conflict_resolver", .string(source))) }
        members.append(JSONMember("purge_on_removal", .bool(definition.purgesOnRemoval)))
        if let usesDeltas = definition.usesDeltas { members.append(JSONMember("enable_delta_sync", .bool(usesDeltas))) }
        if let prefersVersions = definition.prefersVersions { members.append(JSONMember("prefer_versions", .bool(prefersVersions))) }
        members.append(JSONMember("continuous", .bool(definition.continuous)))
        if !definition.channels.isEmpty {
            members.append(JSONMember("filter", .string("sync_gateway/bychannel")))
            members.append(
                JSONMember("query_params", .object([JSONMember("channels", .array(definition.channels.map { .string($0) }))])))
        } else if case .named(let name) = definition.filter?.function {
            members.append(JSONMember("filter", .string(name)))
        }
        return members
    }

    private static func name(_ resolver: ReplicationResolver) -> String {
        switch resolver {
        case .default: "default"
        case .localWins: "localWins"
        case .remoteWins: "remoteWins"
        case .javaScript: "custom"
        }
    }

    /// The state in Sync Gateway's terms. A held-up replication is `reconnecting` until it has caught up, also during an attempt.
    package static func status(_ state: ReplicationState, isHeldUp: Bool = false) -> String {
        if state.halfFailure != nil { return "error" }
        if isHeldUp, state.activity != .stopped { return "reconnecting" }
        return switch state.activity {
        case .stopped: state.failure == nil ? "stopped" : "error"
        case .offline: "reconnecting"
        case .connecting: "starting"
        case .idle, .busy: "running"
        }
    }

    /// The members of `PullReplicationStatus`, `PushReplicationStatus` and their common part. Zero counts are omitted, as in Sync Gateway.
    /// `error_time`, `last_error_message` and `last_error_time` are extensions.
    package static func members(
        id: String, state: ReplicationState, interruptions: ReplicationInterruptions, tally: ReplicationTally,
        position: ReplicationPosition, status: String? = nil,
        config: JSONValue? = nil
    ) -> [JSONMember] {
        var members: [JSONMember] = []
        func add(_ key: String, _ count: Int) {
            if count > 0 { members.append(JSONMember(key, .number(String(count)))) }
        }
        add("docs_read", tally.read)
        add("docs_checked_pull", state.checkedPulling)
        add("docs_purged", tally.purged)
        add("rejected_by_local", tally.rejectedHere)
        if let pulled = position.pulled { members.append(JSONMember("last_seq_pull", .string(pulled))) }
        add("docs_written", tally.written)
        add("docs_checked_push", state.checkedPushing)
        add("doc_write_failures", tally.failures)
        add("doc_write_conflict", tally.conflicts)
        add("rejected_by_remote", tally.rejectedThere)
        if let pushed = position.pushed { members.append(JSONMember("last_seq_push", .string(pushed))) }
        members.append(JSONMember("replication_id", .string(id)))
        if let config { members.append(JSONMember("config", config)) }
        members.append(JSONMember("status", .string(status ?? self.status(state, isHeldUp: interruptions.holdUp != nil))))
        add("server_restored", state.restorations)
        if let restoration = state.restoration { members.append(JSONMember("server_restored_message", .string(restoration))) }
        members += errors(state, interruptions)
        return members
    }

    /// The error that holds the replication up, or else the last, resolved error.
    private static func errors(_ state: ReplicationState, _ interruptions: ReplicationInterruptions) -> [JSONMember] {
        let present = state.holdUp ?? interruptions.holdUp
        guard let failure = present ?? state.failure else { return [] }
        let time = interruptions.last.flatMap { $0.failure == failure ? Timestamp.rfc3339(milliseconds: $0.time) : nil }
        let prefix = present == nil ? "last_error" : "error"
        return [JSONMember("\(prefix)_message", .string(failure.message))]
            + (time.map { [JSONMember("\(prefix)_time", .string($0))] } ?? [])
    }
}
