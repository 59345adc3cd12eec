import Documents
import Foundation
import HTTPTypes

/// A running Sync Gateway, in which each history has a database of its own.
struct Gateway: Sendable {
    struct Refusal: Error {
        let message: String
    }

    let server: RemoteServer
    let dialect: Dialect

    /// The time in milliseconds for which feeds wait for a sequence that was reserved and not written. A write that is refused because of the branch
    /// that would win reserves a sequence and loses it; by default all feeds wait five to ten seconds for it.
    private static let longestGap = "5"

    /// Reads the environment: the URLs of both ports, and the version of the Sync Gateway.
    init?(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let publicURL = environment["DUALGAUGE_PARITY_PUBLIC"], let adminURL = environment["DUALGAUGE_PARITY_ADMIN"],
            let dialect = environment["DUALGAUGE_PARITY_DIALECT"].flatMap(Dialect.init)
        else { return nil }
        server = RemoteServer(kind: .gateway, publicURL: publicURL, adminURL: adminURL)
        self.dialect = dialect
    }

    func play(_ history: History) async throws -> [Observation] {
        let exchange = Exchange(server: server)
        let database = "h" + UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(12)
        let made = try await exchange.ask(.put, "/\(database)/", as: Write.administrator, configuration(history, bucket: database))
        guard made.status == 201 else { throw Refusal(message: String(decoding: made.body, as: UTF8.self)) }
        let observations = try await Player(history, server: server, database: database).play()
        _ = try await exchange.ask(.delete, "/\(database)/", as: Write.administrator)
        return observations
    }

    private func configuration(_ history: History, bucket: String) -> JSONValue {
        let sync = JSONMember("sync", .string(history.syncFunction))
        var members = [
            JSONMember("bucket", .string(bucket)), JSONMember("num_index_replicas", .number("0")),
            JSONMember("allow_conflicts", .bool(true)), JSONMember("allow_empty_password", .bool(true)),
            JSONMember("cache", .nested("channel_cache", .object([JSONMember("max_wait_pending", .number(Self.longestGap))]))),
        ]
        if dialect == .gateway28 { members += [JSONMember("server", .string("walrus:")), JSONMember("use_views", .bool(true))] }
        guard dialect.hasCollections else { return .object(members + [sync]) }
        let collections = dialect.keyspaces.map { JSONMember(String($0.split(separator: ".")[1]), .object([sync])) }
        return .object(members + [JSONMember("scopes", .nested("sales", .nested("collections", .object(collections))))])
    }
}
