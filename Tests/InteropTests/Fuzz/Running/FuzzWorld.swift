import Foundation

@testable import Server

/// A bridge of its own process, with databases, users, and documents that some may see and others not.
struct FuzzWorld: Sendable {
    /// Stands in documents that administrators alone see.
    static let hidden = "marmalade"
    /// Stands in all documents of the database that lets no guest in.
    static let closed = "quince"

    static let password = "U*U"
    private static let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"

    let bridge: FuzzedBridge
    let callers: [FuzzCaller]

    /// - Parameter hasLogins: Whether the admin port asks for a login.
    init(hasLogins: Bool) async throws {
        bridge = try await FuzzedBridge(configuration: Self.configuration(hasLogins: hasLogins))
        let login = hasLogins ? basic(AdminRole.administrator.rawValue, Self.password) : ""
        for database in ["shop", "closed"] {
            for document in Self.documents(of: database) {
                try await Self.ask(bridge, "PUT", "/\(database)/\(document.id)", document.body, login)
            }
        }
        callers = FuzzCaller.all(hasLogins: hasLogins)
        // Who has logged in before stays in, however many wrong passwords come from here.
        for caller in callers where !caller.isShutOut && !caller.proof.isEmpty {
            for database in caller.databases.prefix(2) {
                let headers = caller.headers(in: database).map { "\($0.key): \($0.value)\r\n" }.joined()
                _ = try await RawSocket(port: bridge.port(caller.port)).ask("GET", "/\(database)/", headers: headers)
            }
        }
    }

    /// Ends it.
    ///
    /// - Returns: What is wrong with what is left.
    func end() async throws -> [String] { try await bridge.stop(["shop", "closed", "moving"]) }

    private static func ask(
        _ bridge: FuzzedBridge, _ method: String, _ path: String, _ body: String, _ login: String
    ) async throws {
        let answer = try await RawSocket(port: bridge.port(.admin)).ask(method, path, body, headers: login)
        guard (200..<300).contains(answer.status) else {
            throw RawSocket.Failure(message: "\(method) \(path): \(answer.head)\(answer.text)")
        }
    }

    private static func documents(of database: String) -> [(id: String, body: String)] {
        let mark = database == "closed" ? #","mark":"\#(closed)""# : ""
        let visible = ["d1", "d2", "d3"].map { ($0, #"{"channels":["a","g"],"n":1\#(mark)}"#) }
        let orders = ["order1", "order2"].map { ($0, #"{"type":"order","channels":["a"],"n":2\#(mark)}"#) }
        let attachment = #""_attachments":{"photo":{"content_type":"text/plain","data":"bWFybWFsYWRl"}}"#
        let secret = ["hidden1", "hidden2"].map { ($0, #"{"channels":["secret"],"text":"\#(hidden)",\#(attachment)}"#) }
        return visible + orders + secret
    }

    private static func configuration(hasLogins: Bool) -> String {
        let users = """
                users:
                  anna: { passwordHash: "\(hash)", channels: [a], roles: [staff] }
                  bert: { passwordHash: "\(hash)", channels: [b] }
                roles:
                  staff: { channels: [b] }
                passwords: { cost: 10 }
                deltaSync: true
                collections:
                  sales.orders: { sync: "function (doc) { channel(doc.channels) }" }
                routes:
                  - { to: sales.orders, when: { property: type, equals: order } }
            """
        let admins = AdminRole.allCases.map { "    \($0.rawValue): { role: \($0.rawValue), passwordHash: \"\(hash)\" }" }
        return """
            listen: { public: "127.0.0.1:0", admin: "127.0.0.1:0" }
            databasesFolder: databases
            allowFlush: true
            limits: { memory: \(FuzzSettings.memory >> 20)MiB }
            \(hasLogins ? "audit: { file: audit.jsonl }\nadminAuth:\n  users:\n\(admins.joined(separator: "\n"))" : "")
            databases:
              shop:
                store: shop.dualgauge
                guest: { enabled: true, channels: [g] }
                cors: { origins: ["https://app.example.com"] }
                filters: { ours: "function (doc, req) { return doc.n > 1 }" }
                conflicts: keep
            \(users)
              closed:
                store: closed.dualgauge
                conflicts: resolve
            \(users)
              moving:
                store: moving.dualgauge
                guest: { enabled: true, channels: ["*"] }
                replications:
                  legacy: { remote: "http://127.0.0.1:1/old", direction: push-and-pull, continuous: true }
                cutover: { legacy: legacy }

            """
    }
}
