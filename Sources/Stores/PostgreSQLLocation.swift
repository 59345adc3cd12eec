import Foundation
import Storage

/// A PostgreSQL database, and the schema of a store in it.
///
/// The URL may have a password. It is in no description, dump or message of this type.
package struct PostgreSQLLocation: Hashable, Sendable {
    /// The URL for libpq, without our own parameter. It may have a password, so it is for connections alone.
    let url: String

    /// The schema; `nil` if the URL names none.
    package var schema: String?

    /// The name of our own parameter, which libpq would refuse.
    private static let parameter = "schema"

    /// Parameters of libpq whose values are secret.
    private static let secrets: Set<Substring> = ["password", "sslpassword"]

    /// Reads `postgres://USER@HOST1,HOST2:5432/DATABASE?schema=NAME&sslmode=verify-full`.
    ///
    /// - Throws: ``StorageError`` `invalidArgument` for an address that libpq cannot read, or a name that cannot be a schema's.
    init(_ text: String) throws {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let given = parts.count > 1 ? parts[1].split(separator: "&") : []
        let own = given.filter { $0.hasPrefix(Self.parameter + "=") }
        let rest = given.filter { !$0.hasPrefix(Self.parameter + "=") }
        url = String(parts[0]) + (rest.isEmpty ? "" : "?" + rest.joined(separator: "&"))
        schema = own.last.map { String($0.dropFirst(Self.parameter.count + 1)) }.map { $0.removingPercentEncoding ?? $0 }
        try check()
        // libpq would take a part of the password for a host, a port or a database, which messages show.
        let database = url.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "?" }.drop { $0 != "/" }
        guard !database.contains("@") else {
            throw StorageError(
                .invalidArgument,
                "The address of the PostgreSQL server has a `/` before its `@`. Leave the password out of the address, or write `/` as `%2F` in it."
            )
        }
    }

    /// Whether a text has the form of a PostgreSQL address.
    static func matches(_ text: String) -> Bool { text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") }

    /// The same place with a schema, unless it has one.
    package func with(schema name: String) -> PostgreSQLLocation {
        var location = self
        location.schema = schema ?? name
        return location
    }
}

extension PostgreSQLLocation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without a password, with the schema. Everything that may belong to a password is left out, also in a malformed URL.
    package var description: String {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var text = String(parts[0])
        if let scheme = text.range(of: "://"), let at = text.lastIndex(of: "@"), at >= scheme.upperBound {
            let user = text[scheme.upperBound..<at].prefix { $0 != ":" }
            text = String(text[..<scheme.upperBound] + user + text[at...])
        }
        var query = (parts.count > 1 ? parts[1].split(separator: "&") : []).filter {
            !Self.secrets.contains($0.prefix { $0 != "=" })
        }.map(String.init)
        if let schema {
            query.append("schema=" + (schema.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["_", "-"])) ?? schema))
        }
        return text + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
