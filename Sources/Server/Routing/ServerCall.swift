import AdminPage
import BridgeConfiguration
import Coordination
import Documents
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import ReplicationService

/// What the endpoints outside any database serve.
struct ServerContext: Sendable {
    let databases: DatabaseRegistry
    let port: PortKind
    let serverName: String

    /// The log's settings; `nil` if the embedding program controls the log.
    let logging: LogControl?

    /// The counts of refused logins at the admin port; `nil` on the public port.
    let adminLogins: LoginCounts?

    /// The TLS settings of the ports that have TLS.
    let certificates: [PortKind: ReloadableTLS]
}

/// One request to an endpoint outside any database.
struct ServerCall: Sendable {
    let request: Request
    let target: RequestTarget
    let context: ServerContext

    var databases: DatabaseRegistry { context.databases }
}

/// The endpoints outside any database.
enum ServerEndpoint {
    static func welcome(_ call: ServerCall) -> Response {
        ServerAnswer.welcome(serverName: call.context.serverName, isAdmin: call.context.port == .admin)
    }

    /// A health check for load balancers: `_ping`. With `ready=true` it is 503 once the bridge begins to stop, and while the store of a database
    /// cannot be reached. It names neither.
    static func ping(_ call: ServerCall) -> Response {
        if (try? call.target.query.bool("ready")) == true, call.databases.stopping.isRaised || !call.databases.areReachable {
            return ServerAnswer.unavailable("The bridge is stopping, or the store of a database cannot be reached")
        }
        return ServerAnswer.json(.ok, Array(#"{"status":"ok"}"#.utf8))
    }

    static func databases(_ call: ServerCall) -> Response {
        let running = call.databases.names.compactMap { call.databases[$0] }
        guard (try? call.target.query.bool("verbose")) == true else { return ServerAnswer.names(running.map(\.database.name)) }
        return SessionAnswer.answer(
            .array(
                running.map {
                    .object([
                        JSONMember("db_name", .string($0.database.name)), JSONMember("bucket", .string($0.database.name)),
                        JSONMember("state", .string($0.state)),
                    ])
                }))
    }

    static func metrics(_ call: ServerCall) async -> Response {
        await Metrics(call.databases, adminLogins: call.context.adminLogins, certificates: call.context.certificates).response()
    }

    static func status(_ call: ServerCall) async -> Response {
        do {
            return try await StatusAnswer.response(call.databases)
        } catch {
            return ServerAnswer.unavailable("A database cannot be read: \(error)")
        }
    }

    static func variables(_ call: ServerCall) async -> Response { await Variables(call.databases).response() }

    static func page(_ call: ServerCall) -> Response { PageFile.response(to: call.target) ?? ServerAnswer.unknownURL }

    static func log(_ call: ServerCall) -> Response {
        call.context.logging.map { LogEndpoint(control: $0).describe() } ?? ServerAnswer.unknownURL
    }

    static func changeLog(_ call: ServerCall) async -> Response {
        guard let logging = call.context.logging else { return ServerAnswer.unknownURL }
        return await LogEndpoint(control: logging).change(by: call.request)
    }
}
