import Documents
import Gateway
import HTTPTypes
import HummingbirdCore

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
        return done(input)
    }

    /// What is given takes the place of what was there; the rest stays.
    static func overlay(_ call: DatabaseCall) async throws -> Response {
        _ = try call.running()
        let json = try await call.json()
        let given = try DatabaseInput(json, name: call.name)
        try await call.databases.configure(call.name, given: given) { try $0.overlaid(with: json).completed(from: $0) }
        return done(given)
    }

    /// Sync Gateway says nothing; here is said what was passed over.
    private static func done(_ input: DatabaseInput) -> Response {
        guard !input.unused.isEmpty else { return Response(status: .created) }
        var bytes: [UInt8] = []
        JSONValue.object([JSONMember("not_used", .array(input.unused.sorted().map { .string($0) }))]).append(to: &bytes)
        return ServerAnswer.json(.created, bytes)
    }
}
