import CPostgreSQL
import Foundation
import Storage

/// The server, the database and the schema of a store.
struct PostgreSQLAddress: Sendable {
    /// libpq's parameters of the connection, in order: a later one of the same name counts.
    let parameters: [(name: String, value: String)]

    let schema: String

    /// The hosts, the database and the schema, for messages.
    let description: String

    /// Texts that must not appear in messages.
    private let secrets: [String]

    /// Parameters that hold unless the URL sets them. They limit the time after which a broken connection is noticed, and find the primary among
    /// several hosts.
    private static let defaults = [
        ("application_name", "dualgauge"), ("connect_timeout", "5"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
        ("keepalives_count", "3"), ("tcp_user_timeout", "15000"), ("target_session_attrs", "read-write"),
    ]

    /// The longest name that PostgreSQL does not shorten.
    private static let longestName = 63

    /// - Parameters:
    ///   - url: `postgres://USER@HOST,HOST:PORT/DATABASE?sslmode=...`, or any other form of libpq. Without a password, libpq takes it from the
    ///     environment or from `~/.pgpass`.
    ///   - schema: The name of the schema.
    /// - Throws: ``StorageError`` `invalidArgument`. libpq's message is left out, because it may quote the password.
    init(url: String, schema: String, isReadOnly: Bool) throws {
        guard !schema.isEmpty, schema.utf8.count <= Self.longestName, !schema.utf8.contains(0), !schema.hasPrefix("pg_") else {
            throw StorageError(
                .invalidArgument,
                "The schema's name must have 1 to \(Self.longestName) bytes and must not begin with 'pg_'. Choose another name.")
        }
        guard let options = PQconninfoParse(url, nil) else {
            throw StorageError(
                .invalidArgument,
                "The address of the PostgreSQL server cannot be read. Its form is postgres://USER@HOST:PORT/DATABASE; the password belongs into "
                    + "PGPASSWORD or ~/.pgpass.")
        }
        defer { PQconninfoFree(options) }
        var given: [(name: String, value: String)] = []
        var next = options
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.val { given.append((String(cString: keyword), String(cString: value))) }
            next += 1
        }
        for port in given.last(where: { $0.name == "port" })?.value.split(separator: ",") ?? [] {
            guard let number = Int(port), 1...65_535 ~= number else {
                throw StorageError(.invalidArgument, "The port of the PostgreSQL server must be from 1 to 65535. Correct the address.")
            }
        }
        func value(_ name: String, _ variable: String) -> String? {
            given.last { $0.name == name }?.value ?? ProcessInfo.processInfo.environment[variable]
        }
        let defaults = Self.defaults.filter { !isReadOnly || $0.0 != "target_session_attrs" }
        parameters = defaults + given + [("client_encoding", "UTF8")]
        self.schema = schema
        let hosts = value("host", "PGHOST") ?? value("hostaddr", "PGHOSTADDR") ?? "the local server"
        let port = value("port", "PGPORT").map { " port \($0)" } ?? ""
        let database = value("dbname", "PGDATABASE") ?? value("user", "PGUSER") ?? "of the user"
        description = "PostgreSQL at \(hosts)\(port), database \(database), schema \(schema)"
        secrets = [value("password", "PGPASSWORD"), value("sslpassword", "PGSSLPASSWORD")].compactMap { $0 }.filter { !$0.isEmpty }
    }

    /// A text of libpq or of the server, without the password.
    func redacted(_ text: String) -> String {
        secrets.reduce(text) { $0.replacingOccurrences(of: $1, with: "***") }
    }

    /// The schema's name in SQL.
    var quotedSchema: String { "\"" + schema.replacingOccurrences(of: "\"", with: "\"\"") + "\"" }
}
