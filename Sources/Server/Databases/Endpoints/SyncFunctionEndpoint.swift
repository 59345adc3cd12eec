import Gateway
import HTTPTypes
import HummingbirdCore
import NIOCore

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

    static func delete(_ call: DatabaseCall) async throws -> Response {
        try await set("", call)
    }

    private static func set(_ source: String, _ call: DatabaseCall) async throws -> Response {
        let name = name(call)
        guard try call.running().database.collectionKey(name) != nil else {
            throw AdminError(.notFound, "keyspace \(call.name).\(name) not found")
        }
        try await call.databases.configure(call.name) { try $0.replacing(syncFunction: source, of: name) }
        return Response(status: .ok)
    }

    private static func name(_ call: DatabaseCall) -> CollectionName { call.place.collection ?? .default }
}
