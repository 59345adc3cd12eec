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

    /// The collection is as at its creation: a named one goes by the default collection's function, the default collection by the default function.
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
        return Response(status: .ok)
    }

    private static func name(_ call: DatabaseCall) -> CollectionName { call.place.collection ?? .default }
}
