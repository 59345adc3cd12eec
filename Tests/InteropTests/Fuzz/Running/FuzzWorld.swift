import Foundation
import TestSupport

@testable import BridgeConfiguration
@testable import Server

/// A bridge in a process of its own, with databases, users, and documents that some users may see and others may not.
struct FuzzWorld: Sendable {
    /// The marker word of documents that only administrators see.
    static let hidden = "marmalade"
    /// The marker word of all documents of the database without a guest.
    static let closed = "quince"

    static let password = "U*U"
    private static let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"

    let bridge: FuzzedBridge

    /// The relay before a public port with TLS, so that clients send plain bytes.
    private let relay: TLSRelay?

    /// The hostile server of its replications and authenticators.
    let server: HostileServer
    let callers: [FuzzCaller]

    /// - Parameter hasLogins: Whether the admin port asks for a login.
    init(hasLogins: Bool) async throws {
        server = try HostileServer()
        bridge = try await FuzzedBridge(
            configuration: Self.configuration(hasLogins: hasLogins, remote: server.port),
            files: ["server.pem": TestCertificates.first.certificate, "server.key": TestCertificates.first.key])
        relay = hasLogins ? try await TLSRelay(to: bridge.port(.public)) : nil
        let login = hasLogins ? basic(AdminRole.administrator.rawValue, Self.password) : ""
        for database in ["shop", "closed"] {
            for document in Self.documents(of: database) {
                try await Self.ask(bridge, "PUT", "/\(database)/\(document.id)", document.body, login)
            }
        }
        callers = FuzzCaller.all(hasLogins: hasLogins)
        // Logged-in users stay logged in after any number of wrong passwords from here.
        for caller in callers where !caller.isShutOut && !caller.proof.isEmpty {
            for database in caller.databases.prefix(2) {
                let headers = caller.headers(in: database).map { "\($0.key): \($0.value)\r\n" }.joined()
                _ = try await RawSocket(port: port(caller.port)).ask("GET", "/\(database)/", headers: headers)
            }
        }
    }

    /// The address of a port for clients.
    func port(_ kind: PortKind) -> Int { kind == .public ? relay?.port ?? bridge.port(kind) : bridge.port(kind) }

    /// The port with TLS; `nil` without one.
    var portOfTLS: Int? { relay == nil ? nil : bridge.port(.public) }

    /// Ends it.
    ///
    /// - Returns: The faults in the remaining stores.
    func end() async throws -> [String] {
        // The bridge has to end although servers do not reply to its requests.
        var troubles = try await bridge.stop(["shop", "closed", "moving"])
        if server.accepted == 0 { troubles.append("the bridge has never asked the hostile server") }
        server.end()
        try await relay?.stop()
        return troubles
    }

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

    /// Each has a database of its own at the hostile server, so that a silent connection delays only one replication.
    private static func replications(with port: Int) -> String {
        let directions = ["push-and-pull", "pull", "push"]
        return ["http", "ws"].flatMap { scheme in
            directions.enumerated().map { number, direction in
                "      \(scheme)\(number): { remote: \"\(scheme)://127.0.0.1:\(port)/\(scheme)\(number)\", direction: \(direction), continuous: true, "
                    + "maxAttemptWait: 1s }"
            }
        }.joined(separator: "\n")
    }

    private static func configuration(hasLogins: Bool, remote port: Int) -> String {
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
            listen:
              public: "127.0.0.1:0"
              admin: "127.0.0.1:0"
              \(hasLogins ? "tls: { certificate: server.pem, key: server.key }" : "")
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
                authenticators:
                  facebook: { appID: x, graphURL: "http://127.0.0.1:\(port)" }
                  persona: { verifierURL: "http://127.0.0.1:\(port)/verify", audience: "http://127.0.0.1" }
                  google: { appID: x, issuer: "http://127.0.0.1:\(port)/x" }
                  oidc: { issuer: "http://127.0.0.1:\(port)/x", clientID: x }
                  limits: { timeout: 3s }
              moving:
                store: moving.dualgauge
                guest: { enabled: true, channels: ["*"] }
                replications:
                  legacy: { remote: "http://127.0.0.1:\(port)/old", direction: push-and-pull, continuous: true, maxAttemptWait: 1s }
            \(replications(with: port))
                cutover: { legacy: legacy }
                authenticators:
                  upstream: { url: "http://127.0.0.1:\(port)/old" }
                  limits: { timeout: 3s }

            """
    }
}
