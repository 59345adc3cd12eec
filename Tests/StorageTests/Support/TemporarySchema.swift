import Foundation
import TestSupport
import Testing

@testable import PostgreSQLStorage
@testable import Storage

/// A schema of the tests' PostgreSQL for one test, removed afterwards.
final class TemporarySchema: Sendable {
    let name = "test_" + UUID().uuidString.prefix(8).lowercased()
    let url: String

    /// - Parameter url: Another server than that of most tests.
    init(at url: String? = nil) throws {
        self.url = try url ?? TestPostgreSQL.url()
    }

    func open(_ change: (inout PostgreSQLStore.Options) -> Void = { _ in }) throws -> PostgreSQLStore {
        var options = PostgreSQLStore.Options()
        change(&options)
        return try PostgreSQLStore(
            url: url + (url.contains("?") ? "&" : "?") + "application_name=\(name)", schema: name, options: options)
    }

    /// Ends the connections of stores that ``open(_:)`` has opened.
    func endConnections() throws {
        let connection = try connect()
        _ = try connection.all(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = convert_from($1, 'UTF8')", name
        ) { $0.bool(0) }
        try connection.recover()
    }

    /// A connection beside the store.
    func connect() throws -> PostgreSQLConnection {
        try PostgreSQLConnector(
            address: PostgreSQLAddress(url: url, schema: name, isReadOnly: false), statementTimeout: .seconds(30),
            lockTimeout: .seconds(30),
            idleTimeout: .seconds(60)
        ).connect()
    }

    /// Changes the store's tables beside the store.
    func change(_ script: String) throws {
        try connect().execute(script: script)
    }

    deinit {
        try? change("DROP SCHEMA IF EXISTS \"\(name)\" CASCADE")
    }
}

extension PostgreSQLStore: MeasuredStore {
    func expectSound(sourceLocation: SourceLocation) async throws {
        let report = try await check(limit: 10) { _ in }
        #expect(report.isSound, "\(report.problems)", sourceLocation: sourceLocation)
    }
}
