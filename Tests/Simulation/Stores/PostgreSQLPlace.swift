import Coordination
import Foundation
import Storage
import TestSupport

@testable import PostgreSQLStorage

/// A schema of the tests' PostgreSQL. Each bridge reaches it by a proxy of its own.
final class PostgreSQLPlace: StorePlace {
    private let schema: String
    private let proxies: [PostgreSQLProxy]
    private let server: URLComponents

    /// Whether notifications of other bridges' commits are received. If not, only polls find them.
    private let listens: Bool

    init(bridges: Int, listens: Bool) throws {
        schema = "s" + UUID().uuidString.prefix(13).lowercased()
        guard let server = URLComponents(string: try TestPostgreSQL.url()),
            let folder = server.queryItems?.first(where: { $0.name == "host" })?.value
        else { throw TestPostgreSQL.Missing(description: "The simulation reaches its PostgreSQL by a Unix socket.") }
        self.server = server
        self.listens = listens
        proxies = try (0..<bridges).map { _ in try PostgreSQLProxy(to: folder + "/.s.PGSQL.5432") }
    }

    /// The server's URL by another socket.
    private func url(by folder: String) -> String {
        var components = server
        components.queryItems = [URLQueryItem(name: "host", value: folder)]
        return components.string ?? ""
    }

    func open(_ bridge: Int) async throws -> OpenedStore {
        let (proxies, proxy, schema, listens) = (proxies, proxies[bridge], schema, listens)
        let url = url(by: proxy.folder)
        let store = try await onNewThread {
            var options = PostgreSQLStore.Options()
            options.readerCount = 2
            options.listens = listens
            options.resolutionTimeout = .seconds(2)
            return try PostgreSQLStore(url: url, schema: schema, options: options)
        }
        return OpenedStore(engine: store, connections: proxy, cutAll: { for proxy in proxies { proxy.shut() } })
    }

    func recover() throws {}

    func backUp(_ store: any StoreEngine) async throws -> String {
        let name = schema + "_backup"
        try await run(SchemaCopying.backup(of: schema, as: name))
        return name
    }

    func restore(_ backup: String) async throws {
        try await run(SchemaCopying.restore(of: schema, from: backup))
    }

    /// Copies the present contents: a standby, which receives no further commits.
    func copyStandby() async throws {
        try await run(SchemaCopying.backup(of: schema, as: schema + "_standby"))
    }

    /// Puts the standby in the server's place while the bridges run. They lose their connections, and meet a server with another timeline.
    func promoteStandby() async throws {
        for proxy in proxies { proxy.shut() }
        try await run(SchemaCopying.restore(of: schema, from: schema + "_standby"))
        try await run("UPDATE \"\(schema)\".store SET timeline = timeline - 1")
        reconnect()
    }

    func reconnect() {
        for proxy in proxies {
            proxy.breakNextCommit(nil)
            proxy.open()
        }
    }

    func remove() async throws {
        for proxy in proxies { proxy.close() }
        try await run("DROP SCHEMA \"\(schema)\" CASCADE")
        for copy in ["backup", "standby"] { try await run("DROP SCHEMA IF EXISTS \"\(schema)_\(copy)\" CASCADE") }
    }

    /// Runs statements by a connection of their own.
    private func run(_ script: String) async throws {
        let url = try TestPostgreSQL.url()
        try await onNewThread {
            let address = try PostgreSQLAddress(url: url, schema: "public", isReadOnly: false)
            try PostgreSQLConnection(address, patience: .seconds(60)).execute(script: script)
        }
    }
}
