import Documents
import Gateway
import HTTPTypes
import HummingbirdCore

/// `_replication/` on the admin port: the replications that run beside the listeners, in Sync Gateway's JSON.
enum ReplicationEndpoint {
    static func list(_ call: AdminCall) async throws -> Response {
        let node = Self.hex(try await call.database.unified.databaseUUID())
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

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
