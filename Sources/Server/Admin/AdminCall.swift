import BridgeConfiguration
import Documents
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Logging
import ReplicationService

/// One request to a handler of the server's own endpoints.
struct AdminCall: Sendable {
    /// The largest body, in bytes. Enough for a user with ten thousand channels.
    private static let bodySize = 4 << 20

    let request: Request
    let info: RequestInfo
    let query: Query
    let database: Database
    let access: DatabaseAccess

    /// `nil` for a store that no bridge serves.
    let replications: Replications?

    /// Decides which devices are passed on to the old server; `nil` where every client is served here.
    var devices: DeviceRouter?

    /// The lease of the work that must run once; `nil` where no other bridge can have the store.
    var lease: WorkLease?

    /// The path segments at the variable positions of the route's pattern.
    let parameters: [String]

    /// The first variable segment: a name, or a session's ID.
    var name: String { parameters.first ?? "" }

    /// The body as JSON, with any content type: curl declares a form by default.
    func json() async throws -> JSONValue {
        let bytes = try await request.decompressed(maximumSize: Self.bodySize).bytes(upTo: Self.bodySize)
        return try JSONValue(bytes, maximumDepth: 16)
    }

    /// The body, if its content type is JSON or absent. For requests that log in, so that a form of another site cannot send them.
    func strictJSON() async throws -> JSONValue {
        if let header = request.headers[.contentType], MediaType(header)?.isJSON != true {
            throw AdminError(.unsupportedMediaType, "Invalid content type \(header)")
        }
        return try await json()
    }

    /// Responds by a handler. Errors are converted to responses.
    func respond(by handler: @Sendable (AdminCall) async throws -> Response, logger: Logger) async -> Response {
        do {
            return try await handler(self)
        } catch {
            return AccessAnswer(sendsChallenge: access.configuration.sendsChallenge, logger: logger, counts: access.counts).response(
                to: error)
        }
    }

    /// Logs a user in by a token.
    func logIn(at endpoint: TokenEndpoint) async -> Response {
        guard let tokens = access.tokens else { return ServerAnswer.unknownURL }
        return await tokens.respond(to: request, at: endpoint, query: query, info: info)
    }
}
