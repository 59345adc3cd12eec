import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import ReplicationService

/// `_replication/` on the admin port: the configured replications, in Sync Gateway's JSON.
enum ReplicationEndpoint {
    static func list(_ call: AdminCall) async throws -> Response {
        let node = Hex.text(try await call.database.unified.databaseUUID())
        let all = try await call.runningReplications.descriptions.map { id, json, isWanted in
            JSONMember(
                id,
                .object(
                    json + [
                        JSONMember("assigned_node", .string("\(node) (local)")),
                        JSONMember("target_state", .string(isWanted ? "running" : "stopped")),
                    ]))
        }
        return SessionAnswer.answer(.object(all))
    }

    static func get(_ call: AdminCall) async throws -> Response {
        SessionAnswer.answer(try await call.runningReplications.description(call.name))
    }

    static func post(_ call: AdminCall) async throws -> Response {
        let json = try await call.strictJSON()
        guard let id = json["replication_id"]?.string, !id.isEmpty else { throw AdminError(.badRequest, "Replication ID is required") }
        return try await put(json, id, call)
    }

    static func put(_ call: AdminCall) async throws -> Response {
        let json = try await call.strictJSON()
        if let id = json["replication_id"]?.string, !id.isEmpty, !id.utf8.elementsEqual(call.name.utf8) {
            throw AdminError(.badRequest, "Replication ID in body \"\(id)\" does not match request URI")
        }
        return try await put(json, call.name, call)
    }

    static func delete(_ call: AdminCall) async throws -> Response {
        try await call.runningReplications.remove(call.name)
        return Response(status: .ok)
    }

    private static func put(_ json: JSONValue, _ id: String, _ call: AdminCall) async throws -> Response {
        Response(status: try await call.runningReplications.put(json, id: id) ? .created : .ok)
    }
}

/// `_replicationStatus/` on the admin port: the status of replications, and `?action=start|stop|reset`.
enum ReplicationStatusEndpoint {
    static func list(_ call: AdminCall) async throws -> Response {
        let isActiveOnly = try call.flag("activeOnly") ?? false
        let includesErrors = try call.flag("includeError") ?? true
        var statuses: [JSONValue] = []
        for run in await (try call.runningReplications).statuses() {
            let state = await run.state
            if isActiveOnly, state.activity == .stopped { continue }
            if !includesErrors, state.activity == .stopped, state.failure != nil { continue }
            statuses.append(try await status(of: run, call))
        }
        return SessionAnswer.answer(.array(statuses))
    }

    static func get(_ call: AdminCall) async throws -> Response {
        SessionAnswer.answer(try await status(of: try await call.runningReplications.run(call.name), call))
    }

    static func put(_ call: AdminCall) async throws -> Response {
        guard let action = call.query["action"], !action.isEmpty else {
            throw AdminError(.badRequest, "Query parameter 'action' must be specified")
        }
        let replications = try call.runningReplications
        let run = try await replications.run(call.name)
        // Like Sync Gateway, reports the transition in progress, not the previous state.
        let name: String
        switch action {
        case "start":
            try await replications.start(call.name)
            name = await run.isStopped ? "starting" : "running"
        case "stop":
            try await replications.stop(call.name)
            name = await run.isStopped ? "stopped" : "stopping"
        case "reset":
            try await replications.reset(call.name)
            name = "resetting"
        default: throw AdminError(.badRequest, "Unrecognized action \"\(action)\".  Valid values are start/stop/reset.")
        }
        return SessionAnswer.answer(try await status(of: run, call, name: name))
    }

    private static func status(of run: ReplicationRun, _ call: AdminCall, name: String? = nil) async throws -> JSONValue {
        var config: JSONValue?
        if try call.flag("includeConfig") == true { config = try await call.runningReplications.description(run.id) }
        return .object(
            ReplicationOutput.members(
                id: run.id, state: await run.state, interruptions: await run.interruptions, tally: await run.tally,
                position: await run.position(), status: name, config: config))
    }
}

extension AdminCall {
    /// The replications of a served database, at the bridge that runs them.
    var runningReplications: Replications {
        get throws(AdminError) {
            try lease?.requireHeld()
            guard let replications else { throw AdminError(.notFound, "replications run in a bridge that serves the database") }
            return replications
        }
    }

    fileprivate func flag(_ name: String) throws(AdminError) -> Bool? {
        do {
            return try query.bool(name)
        } catch {
            throw AdminError(.badRequest, error.message)
        }
    }
}
