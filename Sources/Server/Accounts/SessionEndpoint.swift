import Access
import Authentication
import BridgeConfiguration
import Documents
import HTTPTypes
import HummingbirdCore
import ReplicationService
import Storage

/// Sessions on the admin port: an app's own server logs its users in; administrators can end any session.
enum SessionEndpoint {
    static func create(_ call: AdminCall) async throws -> Response {
        let body = try await call.strictJSON()
        guard let name = body["name"]?.string, !name.isEmpty, name != User.guestName else {
            throw AdminError(.badRequest, "Invalid or missing user name")
        }
        var time = call.access.configuration.sessionTime
        if let ttl = body["ttl"] {
            guard let seconds = ttl.int else { throw AdminError(.badRequest, "Invalid or missing ttl") }
            time = Int64(seconds)
        }
        let session = try await call.access.sessions.create(for: name, timeToLive: time)
        return SessionAnswer.created(session, cookieName: call.access.cookies.name)
    }

    static func get(_ call: AdminCall) async throws -> Response {
        guard let id = SessionID(call.name), let session = try await call.access.sessions.find(id) else { throw missing }
        return SessionAnswer.describe(try await call.access.accounts.account(.user(session.user.name)))
    }

    static func delete(_ call: AdminCall) async throws -> Response {
        guard let id = SessionID(call.name), try await call.access.sessions.end(id) else { throw missing }
        await call.access.open.check()
        return Response(status: .ok)
    }

    /// Ends all sessions of a user. Succeeds for a user who does not exist, as in Sync Gateway.
    static func deleteAll(_ call: AdminCall) async throws -> Response {
        try await call.access.accounts.endSessions(of: call.name)
        return Response(status: .ok)
    }

    static func deleteOfUser(_ call: AdminCall) async throws -> Response {
        guard let id = call.parameters.last.flatMap({ SessionID($0) }), try await call.access.sessions.end(id, of: call.name) else {
            throw missing
        }
        await call.access.open.check()
        return Response(status: .ok)
    }

    private static let missing = AdminError(.notFound, "missing")
}
