import Documents
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Logging
import ReplicationService

/// One administrative request for a whole database.
struct DatabaseCall: Sendable {
    /// The largest body, in bytes: a configuration with its functions and users.
    private static let bodySize = 16 << 20

    let request: Request
    let query: Query
    let place: KeyspaceName
    let databases: DatabaseRegistry

    /// The path segments at the variable positions of the route's pattern.
    let parameters: [String]

    var name: String { place.database }

    /// The variable segment of the path: a document's ID.
    var id: String { parameters.first ?? "" }

    /// - Throws: ``AdminError`` with 404 if there is no such database.
    func running() throws(AdminError) -> RunningDatabase {
        guard let running = databases[name] else { throw databases.absence(name) }
        return running
    }

    /// A lease on the database, which has to be online.
    func online() throws(AdminError) -> DatabaseLease {
        guard let lease = databases.lease(name) else { throw databases.absence(name) }
        guard !lease.running.watch.isCutOff else { throw AdminError.unreachable(name) }
        guard lease.running.isOnline else { throw AdminError(.serviceUnavailable, "DB is currently under maintenance") }
        return lease
    }

    /// The keyspace that the path names.
    func keyspace(_ lease: DatabaseLease) async throws -> Keyspace {
        guard let keyspace = try await place.keyspace(in: lease.running.database) else {
            throw AdminError(.notFound, "keyspace \(name).\(place.collection?.description ?? "") not found")
        }
        return keyspace
    }

    func bytes() async throws -> [UInt8] {
        try await request.decompressed(maximumSize: Self.bodySize).bytes(upTo: Self.bodySize)
    }

    /// The body as JSON. Like Sync Gateway, refuses another content type.
    func json() async throws -> JSONValue {
        if let header = request.headers[.contentType], MediaType(header)?.isJSON != true {
            throw AdminError(.unsupportedMediaType, "Invalid content type \(header)")
        }
        return try JSONValue(try await bytes(), maximumDepth: 32)
    }

    /// The body as JSON, with any content type; `nil` if it is empty.
    func optionalJSON() async throws -> JSONValue? {
        let bytes = try await bytes()
        return bytes.isEmpty ? nil : try JSONValue(bytes, maximumDepth: 32)
    }

    func action() throws(AdminError) -> Action? {
        guard let text = query["action"] else { return nil }
        guard let action = Action(rawValue: text) else {
            throw AdminError(.badRequest, "Unknown parameter for 'action'. Must be start or stop")
        }
        return action
    }

    enum Action: String {
        case start, stop
    }
}

extension DatabaseCall {
    /// Responds by a handler. Errors are converted to responses.
    func respond(by handler: @Sendable (DatabaseCall) async throws -> Response, logger: Logger) async -> Response {
        do {
            return try await handler(self)
        } catch {
            return AccessAnswer(sendsChallenge: false, logger: logger).response(to: Self.translated(error))
        }
    }

    private static func translated(_ error: any Error) -> any Error {
        guard let error = error as? GatewayError else { return error }
        switch error.code {
        case .badRequest, .digestMismatch, .configuration: return AdminError(.badRequest, error.message)
        case .notFound: return AdminError(.notFound, error.message)
        case .unavailable: return AdminError.unavailable(error.message)
        case .unauthorized, .forbidden, .loginWanted, .deleted, .conflict, .missingAttachment, .tooLarge, .script: return error
        }
    }
}

extension Query {
    /// A number within a range; `nil` if the query has none.
    func number(_ name: String, in range: ClosedRange<Int>) throws(AdminError) -> Int? {
        guard self[name] != nil else { return nil }
        guard let number = try? int(name), range.contains(number) else {
            throw AdminError(.badRequest, "Bad \"\(name)\": it has to be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
