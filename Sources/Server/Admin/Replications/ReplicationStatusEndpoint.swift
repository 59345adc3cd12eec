import Documents
import HTTP
import HTTPTypes
import HummingbirdCore

/// `_replicationStatus/` on the admin port: how replications are doing, and `?action=start|stop|reset`.
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
        // Sync Gateway tells what is under way, not what was.
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
    /// The replications of a database that is being served.
    var runningReplications: Replications {
        get throws(AdminError) {
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
