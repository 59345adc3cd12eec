import Gateway
import HTTPTypes
import HummingbirdCore
import NIOCore

/// `_config/sync`: the sync function of a collection as JavaScript.
enum SyncFunctionEndpoint {
    static func get(_ call: DatabaseCall) throws -> Response {
        let collections = try call.running().input.configuration.collections
        let source = collections.first { $0.name == name(call) }?.syncFunction ?? ""
        return Response(
            status: .ok, headers: [.contentType: "application/javascript"], body: ResponseBody(byteBuffer: ByteBuffer(string: source)))
    }

    static func put(_ call: DatabaseCall) async throws -> Response {
        guard let source = String(validating: try await call.bytes(), as: UTF8.self) else {
            throw AdminError(.badRequest, "The sync function is not UTF-8")
        }
        return try await set(source.isEmpty ? nil : source, call)
    }

    static func delete(_ call: DatabaseCall) async throws -> Response {
        try await set(nil, call)
    }

    private static func set(_ source: String?, _ call: DatabaseCall) async throws -> Response {
        let name = name(call)
        try await call.databases.configure(call.name) { try $0.replacing(syncFunction: source, of: name) }
        return Response(status: .ok)
    }

    private static func name(_ call: DatabaseCall) -> CollectionName { call.place.collection ?? .default }
}
