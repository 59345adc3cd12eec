import Documents
import Foundation
import HTTPTypes
import Logging
import Server

/// Sends requests to the admin port's endpoints of one database.
protocol AdminConnection: Sendable {
    /// - Parameter path: the path after the database.
    func send(_ method: String, _ path: String, _ body: [UInt8]) async throws -> AdminReply
}

/// A reply of the admin port.
struct AdminReply: Sendable {
    let status: Int
    let body: [UInt8]
}

extension AdminConnection {
    /// Sends a request and parses its reply; `null` for an empty reply.
    ///
    /// - Throws: ``AdminRefusal`` for a reply with an error status.
    @discardableResult
    func ask(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> (status: Int, json: JSONValue) {
        var bytes: [UInt8] = []
        body?.append(to: &bytes)
        let reply = try await send(method, path, bytes)
        let json = reply.body.isEmpty ? JSONValue.null : (try? JSONValue(reply.body)) ?? .null
        guard (200..<300).contains(reply.status) else {
            throw AdminRefusal(status: reply.status, reason: json["reason"]?.string ?? "")
        }
        return (reply.status, json)
    }

    /// Encodes a name as a path segment.
    static func segment(_ name: String) -> String {
        let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~@")
        return name.addingPercentEncoding(withAllowedCharacters: allowed) ?? name
    }
}

/// A reply of the admin port with an error status.
struct AdminRefusal: Error {
    /// The kinds of refusals that the commands distinguish.
    enum Code {
        case loginRequired, loginRefused, missing, noDatabase, notFound, alreadyExists, other
    }

    let code: Code
    let status: Int
    let reason: String

    /// - Parameter reason: the reply's `reason`, Sync Gateway's text. Nothing else in a reply distinguishes refusals with the same status.
    init(status: Int, reason: String) {
        self.status = status
        self.reason = reason
        code =
            switch (status, reason) {
            case (401, "Login required"): .loginRequired
            case (401, _): .loginRefused
            case (404, "missing"): .missing
            case (404, ""): .noDatabase
            case (404, _): reason.hasPrefix("no such database") ? .noDatabase : .notFound
            case (409, _): .alreadyExists
            default: .other
            }
    }

    /// The problem, and what to do.
    var message: String {
        switch code {
        case .loginRequired: "the admin port requires a login (401); give --admin-user NAME, and the password in DUALGAUGE_ADMIN_PASSWORD"
        case .loginRefused: "the admin port does not accept the login (401); check --admin-user and DUALGAUGE_ADMIN_PASSWORD"
        case .missing: "there is no such user, role or session"
        case .noDatabase: "\(reason.isEmpty ? "not found" : reason) (404); is the database's name right?"
        case .notFound: "\(reason) (404)"
        case .alreadyExists: "the name exists already; use `set` to change it"
        case .other: "\(reason.isEmpty ? "refused" : reason) (\(status))"
        }
    }
}

/// The admin endpoints for a store, within this process.
struct LocalAdminConnection: AdminConnection {
    private let admin: LocalAdmin

    /// Opens a store, and closes it after `body`.
    static func during<Value: Sendable>(
        store: String, _ logger: Logger, _ body: (any AdminConnection) async throws -> Value
    ) async throws -> Value {
        let local = try await LocalAdmin.open(store: try StoreArgument.location(store), logger: logger)
        do {
            let value = try await body(LocalAdminConnection(admin: local))
            try await local.close()
            return value
        } catch {
            try? await local.close()
            throw error
        }
    }

    func send(_ method: String, _ path: String, _ body: [UInt8]) async throws -> AdminReply {
        let answer = try await admin.send(HTTPRequest.Method(rawValue: method) ?? .get, path, body: body)
        return AdminReply(status: answer.status, body: answer.body)
    }
}
