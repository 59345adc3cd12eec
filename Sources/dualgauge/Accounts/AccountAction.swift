import Documents
import Foundation
import Logging

/// The actions of the commands for users and roles.
struct AccountAction {
    let kind: AccountKind
    let output: OutputOptions

    func add(_ target: AccountTarget, _ members: [JSONMember]) async throws {
        try await run(target) { connection, name in
            try await connection.ask("POST", kind.path, .object([JSONMember("name", .string(name))] + members))
            try await report(name, "Added", connection)
        }
    }

    /// Changes an existing account. A bare `PUT` would create the account if the name is misspelt.
    func set(_ target: AccountTarget, _ members: [JSONMember]) async throws {
        try await run(target) { connection, name in
            try await connection.ask("GET", path(name))
            try await connection.ask("PUT", path(name), .object(members))
            try await report(name, "Changed", connection)
        }
    }

    func remove(_ target: AccountTarget) async throws {
        try await run(target) { connection, name in
            try await connection.ask("DELETE", path(name))
            try Self.show(.object([JSONMember("removed", .string(name))]), output, text: "Removed \(kind.rawValue) \(name).")
        }
    }

    func list(_ endpoint: AdminEndpoint) async throws {
        try await endpoint.connect(output.logger(kind.rawValue)) { connection in
            let names = try await connection.ask("GET", kind.path).json
            try Self.show(names, output, text: (names.array ?? []).compactMap(\.string).joined(separator: "\n"))
        }
    }

    func show(_ target: AccountTarget) async throws {
        try await run(target) { connection, name in
            let account = try await connection.ask("GET", path(name)).json
            let lines = (account.members ?? []).map { member in
                var bytes: [UInt8] = []
                member.value.append(to: &bytes)
                return "\(member.key): \(member.value.string ?? String(decoding: bytes, as: UTF8.self))"
            }
            try Self.show(account, output, text: lines.joined(separator: "\n"))
        }
    }

    /// Prints a result: the JSON with `--json`, otherwise the text.
    static func show(_ json: JSONValue, _ output: OutputOptions, text: String) throws {
        guard output.json else {
            if !text.isEmpty { print(text) }
            return
        }
        var bytes: [UInt8] = []
        json.append(to: &bytes)
        StandardStream.output.write(bytes + Array("\n".utf8))
    }

    private func report(_ name: String, _ what: String, _ connection: any AdminConnection) async throws {
        try Self.show(try await connection.ask("GET", path(name)).json, output, text: "\(what) \(kind.rawValue) \(name).")
    }

    private func path(_ name: String) -> String { kind.path + LocalAdminConnection.segment(name) }

    private func run(_ target: AccountTarget, _ body: (any AdminConnection, String) async throws -> Void) async throws {
        try await target.connect(kind.rawValue, output.logger(kind.rawValue), body)
    }
}

/// The kinds of accounts, which have the same commands.
enum AccountKind: String {
    case user
    case role

    /// The kind's path on the admin port.
    var path: String { "_\(rawValue)/" }
}
