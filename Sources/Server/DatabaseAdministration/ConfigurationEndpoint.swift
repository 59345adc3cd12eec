import Documents
import Gateway
import HTTPTypes
import HummingbirdCore
import NIOCore
import ReplicationService

/// `PUT` and `DELETE` of a database, and its `_config`.
enum ConfigurationEndpoint {
    static func create(_ call: DatabaseCall) async throws -> Response {
        guard call.databases[call.name] == nil else {
            throw AdminError(.preconditionFailed, "Duplicate database name \"\(call.name)\"")
        }
        let input = try DatabaseInput(try await call.json(), name: call.name)
        try await call.databases.create(input)
        return done(input)
    }

    static func remove(_ call: DatabaseCall) async throws -> Response {
        try await call.databases.remove(call.name)
        return SessionAnswer.answer(.object([]))
    }

    static func get(_ call: DatabaseCall) throws -> Response {
        let input = try call.running().input
        let members = (input.withoutSecrets.members ?? []).filter { $0.key != "name" }
        return SessionAnswer.answer(.object([JSONMember("name", .string(call.name))] + members))
    }

    static func replace(_ call: DatabaseCall) async throws -> Response {
        _ = try call.running()
        let input = try DatabaseInput(try await call.json(), name: call.name)
        try await call.databases.configure(call.name, given: input) { try input.completed(from: $0) }
        return done(input, warning: call.databases.warnOfOtherBridges(call.name))
    }

    /// Replaces the given members; the others stay.
    static func overlay(_ call: DatabaseCall) async throws -> Response {
        _ = try call.running()
        let json = try await call.json()
        let given = try DatabaseInput(json, name: call.name)
        try await call.databases.configure(call.name, given: given) { try $0.overlaid(with: json).completed(from: $0) }
        return done(given, warning: call.databases.warnOfOtherBridges(call.name))
    }

    /// The reply. Sync Gateway's is empty; this one lists ignored settings, and says if the change does not hold everywhere.
    private static func done(_ input: DatabaseInput, warning: String? = nil) -> Response {
        var members = warning.map { [JSONMember("warning", .string($0))] } ?? []
        if !input.unused.isEmpty { members.append(JSONMember("not_used", .array(input.unused.sorted().map { .string($0) }))) }
        guard !members.isEmpty else { return Response(status: .created) }
        var bytes: [UInt8] = []
        JSONValue.object(members).append(to: &bytes)
        return ServerAnswer.json(.created, bytes)
    }
}

/// `_config/sync`: the sync function of a collection as JavaScript.
enum SyncFunctionEndpoint {
    static func get(_ call: DatabaseCall) throws -> Response {
        let source = try call.running().database.syncFunction(of: name(call)) ?? ""
        return Response(
            status: .ok, headers: [.contentType: "application/javascript"], body: ResponseBody(byteBuffer: ByteBuffer(string: source)))
    }

    static func put(_ call: DatabaseCall) async throws -> Response {
        guard let source = String(validating: try await call.bytes(), as: UTF8.self) else {
            throw AdminError(.badRequest, "The sync function is not UTF-8")
        }
        return try await set(source, call)
    }

    /// Resets a collection's function to its initial state: a named collection uses the default collection's function, the default
    /// collection the default function.
    static func delete(_ call: DatabaseCall) async throws -> Response {
        let name = name(call)
        guard name != .default else { return try await set("", call) }
        let response = try await set(nil, call)
        try await call.running().database.forgetSyncFunction(of: name)
        return response
    }

    private static func set(_ source: String?, _ call: DatabaseCall) async throws -> Response {
        let name = name(call)
        guard try call.running().database.collectionKey(name) != nil else {
            throw AdminError(.notFound, "keyspace \(call.name).\(name) not found")
        }
        try await call.databases.configure(call.name) { try $0.replacing(syncFunction: source, of: name) }
        guard let warning = call.databases.warnOfOtherBridges(call.name) else { return Response(status: .ok) }
        return SessionAnswer.answer(.object([JSONMember("warning", .string(warning))]))
    }

    private static func name(_ call: DatabaseCall) -> CollectionName { call.place.collection ?? .default }
}
