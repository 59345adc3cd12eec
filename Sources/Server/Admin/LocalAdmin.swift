import BridgeConfiguration
import Coordination
import Gateway
import HTTP
import HTTPListener
package import HTTPTypes
import HummingbirdCore
package import Logging
import NIOCore
import Scripting
import Storage
package import Stores

/// The admin port's requests for users, roles and sessions on a local store, without a network and without a running bridge.
///
/// It can open a store that a bridge is serving.
package struct LocalAdmin: Sendable {
    /// A reply.
    package struct Answer: Sendable {
        package let status: Int
        package let body: [UInt8]
    }

    private let database: Database
    private let access: DatabaseAccess
    private let logger: Logger

    /// Opens an existing store.
    ///
    /// - Throws: `StorageError` or `GatewayError`.
    package static func open(store location: StoreLocation, logger: Logger) async throws -> LocalAdmin {
        let store = try await location.open(StoreOptions(createsIfMissing: false))
        let database = try await Database(
            configuration: try await .lastServed("store", from: store), store: store, scripts: ScriptEngine(), logger: logger, use: .added)
        return LocalAdmin(
            database: database, access: DatabaseAccess(store: store, database: database.name), logger: logger)
    }

    /// Handles a request.
    ///
    /// - Parameter path: the path after the database, such as `_user/alice`, percent-encoded.
    package func send(_ method: HTTPRequest.Method, _ path: String, body: [UInt8] = []) async throws -> Answer {
        let head = HTTPRequest(
            method: method, scheme: "http", authority: "localhost", path: "/store/\(path)",
            headerFields: body.isEmpty ? [:] : [.contentType: "application/json"])
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
        let response = await respond(to: request, RouteIndex.of(.admin).resolve(method, try RequestTarget(head.path ?? "/")))
        return Answer(status: response.status.code, body: try await response.collected())
    }

    private func respond(to request: Request, _ resolution: Resolution) async -> Response {
        guard case .routes(let path, let parameters) = resolution.found, path.stage == .online, path.requirement == nil else {
            return ServerAnswer.unknownURL
        }
        guard case .online(let handler)? = resolution.route?.handler else { return path.refusal(of: request.method) }
        let call = AdminCall(
            request: request, info: RequestInfo(), query: resolution.target.query, database: database, access: access, replications: nil,
            parameters: parameters)
        return await call.respond(by: handler, logger: logger)
    }

    /// Closes the store.
    package func close() async throws {
        try await database.close()
    }
}

extension Response {
    /// The whole body. For small replies that stay in this process.
    func collected() async throws -> [UInt8] {
        let collector = Collector()
        try await body.write(collector)
        return collector.bytes.withLock { $0 }
    }
}

private final class Collector: ResponseBodyWriter {
    let bytes = Lock<[UInt8]>([])

    func write(_ buffer: ByteBuffer) async throws {
        bytes.withLock { $0 += buffer.readableBytesView }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
