import BridgeConfiguration
import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import Logging
import ReplicationService

/// Serves the server's own endpoints below a database's name: logins, sessions, users, roles, replications.
struct AdminListener: Sendable {
    let port: PortKind
    let logger: Logger

    /// Responds to a request; `nil` if the path is not one of this port's routes.
    ///
    /// - Parameter index: the index of the first path segment after the database.
    func respond(
        to request: Request, _ info: RequestInfo, target: RequestTarget, from index: Int = 1, database: Database, access: DatabaseAccess,
        replications: Replications? = nil
    ) async -> Response? {
        let segments = target.segments.dropFirst(index)
        let found = AdminRoute.table.lazy.filter { $0.ports.contains(port) }.compactMap { route in
            route.parameters(of: segments).map { (route, $0) }
        }
        guard found.first != nil else { return nil }
        guard let (route, parameters) = found.first(where: { $0.0.methods.contains(request.method) }) else {
            return Self.refusal(of: request.method, allowed: found.flatMap(\.0.methods))
        }
        let call = AdminCall(
            request: request, info: info, query: target.query, database: database, access: access, replications: replications,
            parameters: parameters)
        do {
            let response = try await route.handler(call)
            return request.method == .head ? response.createHeadResponse() : response
        } catch {
            return AccessAnswer(sendsChallenge: access.configuration.sendsChallenge, logger: logger, counts: access.counts).response(
                to: error)
        }
    }

    private static func refusal(of method: HTTPRequest.Method, allowed: [HTTPRequest.Method]) -> Response {
        let allowed = Set(allowed.map(\.rawValue)).sorted().joined(separator: ", ")
        guard method == .options else { return ServerAnswer.error(.methodNotAllowed, "Method Not Allowed", "", headers: [.allow: allowed]) }
        return Response(status: .noContent, headers: [.allow: allowed])
    }
}

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
}
