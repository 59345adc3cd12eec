import Gateway
import HTTPTypes
import Logging
import NIOCore
import SQLiteStorage
import Storage

import struct HummingbirdCore.Request
import struct HummingbirdCore.RequestBody
import struct HummingbirdCore.Response
import protocol HummingbirdCore.ResponseBodyWriter

@testable import BridgeConfiguration
@testable import HTTP
@testable import HTTPListener
@testable import Server

/// A bridge within this process, for all histories: each has a database of its own. Its requests do not use sockets, which would take most of a
/// replay's time, and the script workers start only once.
struct LocalServer: Server {
    private let databases: DatabaseRegistry
    private let publicPort: Dispatcher
    private let adminPort: Dispatcher

    var kind: ServerKind { .bridge }

    init(_ configuration: ServerConfiguration) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let door = AdminGate(
            guardian: AdminGuard(address: configuration.listen.adminAddress), access: try await AdminAccess(nil),
            audit: try AuditLog(file: nil, logger: logger), logger: logger)
        databases = try await DatabaseRegistry.open(configuration, logger: logger)
        publicPort = Dispatcher(databases: databases, serverName: "test", logger: logger)
        adminPort = Dispatcher(databases: databases, serverName: "test", logger: logger, gate: door)
    }

    func open(_ served: ServerConfiguration.ServedDatabase) async throws {
        // Each connection reads the schema and prepares its statements.
        var options = SQLiteStore.Options()
        options.readerCount = 1
        let store = try SQLiteStore(path: "\(served.store)", options: options)
        databases.put(try await databases.start(served, try DatabaseInput(served.configuration), .file, store: store, isOnline: true))
    }

    func close(_ name: String) async throws {
        guard let running = databases.removeRunning(name) else { return }
        await running.retire()
        try await running.database.close()
    }

    func answer(_ request: ServerRequest) async throws -> Answer {
        let response = await respond(to: request)
        return Answer(status: response.status.code, body: try await response.collected())
    }

    func follow(_ request: ServerRequest, _ receive: @escaping @Sendable ([UInt8]) -> Void) async throws {
        let response = await respond(to: request)
        guard response.status == .ok else { return }
        try await response.body.write(Listener(receive: receive))
    }

    func connect(_ request: ServerRequest, subprotocols: [String]) async throws -> any WebSocketConnection {
        var request = request
        request.headers[.upgrade] = "websocket"
        request.headers[.secWebSocketProtocol] = subprotocols.joined(separator: ", ")
        let response = await respond(to: request)
        guard case .webSocket(let route)? = try await response.upgradeRoute() else {
            throw WebSocketRefusal(response: response.head, body: try await response.collected())
        }
        let (client, server) = WebSocketPair.make(subprotocol: route.subprotocol)
        Task {
            try await route.handler(server)
            server.drop()
        }
        return client
    }

    private func respond(to request: ServerRequest) async -> Response {
        let head = HTTPRequest(
            method: request.method, scheme: "http", authority: "localhost", path: request.path, headerFields: request.headers)
        return await (request.isToAdminPort ? adminPort : publicPort).respond(
            Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: request.body))), RequestInfo(memory: databases.memory))
    }

    private struct Listener: ResponseBodyWriter {
        let receive: @Sendable ([UInt8]) -> Void

        func write(_ buffer: ByteBuffer) async throws { receive(Array(buffer: buffer)) }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
