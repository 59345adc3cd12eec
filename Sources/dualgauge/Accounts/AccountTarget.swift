import ArgumentParser
import Logging

/// A user, role or session and its database: `DATABASE NAME`, or `NAME` alone if --store or the bridge's address determines the database.
///
/// Earlier versions took `NAME DATABASE`. That order is still accepted if only the second word is a database.
struct AccountTarget: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The database of a running bridge, and the name or ID in it; with --store the name alone.", valueName: "database> <name"))
    var words: [String] = []

    @OptionGroup var location: AccountLocation

    /// The usage text of a command with this argument.
    static func usage(_ command: String, _ name: String = "<name>") -> String {
        "dualgauge \(command) <database> \(name) [<options>]\ndualgauge \(command) --store <folder> \(name) [<options>]"
    }

    func validate() throws {
        guard words.count <= 2, words.allSatisfy({ !$0.isEmpty }) else {
            throw ValidationError("Give the database and the name in it, such as `shop anna`, and no more words.")
        }
    }

    /// Connects to the database, and closes the connection after `body`.
    ///
    /// - Parameters:
    ///   - kind: the kind of the name, for messages, such as `user`.
    ///   - body: receives the connection and the name.
    /// - Throws: `ValidationError` if the database or the name is missing.
    func connect(_ kind: String, _ logger: Logger, _ body: (any AdminConnection, String) async throws -> Void) async throws {
        guard let last = words.last else { throw ValidationError("Name the \(kind): DATABASE NAME, or NAME with --store.") }
        guard words.count == 2 else {
            guard location.isGiven else {
                throw ValidationError(
                    "`\(last)` is a single word: give DATABASE NAME for a running bridge (--admin http://127.0.0.1:4985), "
                        + "or NAME with --store DATABASE.dualgauge.")
            }
            return try await location.connect(to: nil, logger) { try await body($0, last) }
        }
        guard !isOldOrder else { return try await location.connect(to: last, logger) { try await body($0, words[0]) } }
        try await location.connect(to: words[0], logger) { connection in
            guard try await Self.isMissing(connection) else { return try await body(connection, last) }
            let other = try location.admin.connection(to: last)
            // Neither word is a database. The request with the first word as database reports the error.
            guard try await !Self.isMissing(other) else { return try await body(connection, last) }
            StandardStream.errors.write("dualgauge: the database comes first: `\(last) \(words[0])`\n")
            try await body(other, words[0])
        }
    }

    /// Whether the second word has to be the database. That is the case if it is a URL, or if only the second word is consistent with the bridge's
    /// address.
    private var isOldOrder: Bool {
        words[1].contains("://") || ((try? location.admin.place(of: words[0])) == nil && (try? location.admin.place(of: words[1])) != nil)
    }

    /// Whether the bridge replies that the database does not exist.
    private static func isMissing(_ connection: any AdminConnection) async throws -> Bool {
        try await connection.send("GET", "", []).status == 404
    }
}

/// The database whose users, roles and sessions a command lists: one of a running bridge, or a store.
struct AdminEndpoint: ParsableArguments {
    @Argument(help: ArgumentHelp("The name of a database of a running bridge; with --store there is none.", valueName: "database"))
    var database: String?

    @OptionGroup var location: AccountLocation

    /// Connects to the database, and closes the connection after `body`.
    ///
    /// - Throws: `ValidationError` if the database is missing.
    func connect(_ logger: Logger, _ body: (any AdminConnection) async throws -> Void) async throws {
        try await location.connect(to: database, logger, body)
    }
}

/// The options that locate users, roles and sessions: a running bridge, or a store.
struct AccountLocation: ParsableArguments {
    @Option(help: "A store's folder, in place of a running bridge.", completion: .directory)
    var store: String?

    @OptionGroup(title: "The bridge") var admin: AdminOptions

    func validate() throws {
        guard store == nil || !admin.isGiven else {
            throw ValidationError("--admin and --store exclude each other: give a running bridge or a store.")
        }
    }

    /// Whether the command line or the environment locates the accounts.
    var isGiven: Bool { store != nil || admin.isGiven || AdminOptions.Variable.address.value != nil }

    /// Connects to a database, and closes the connection after `body`.
    ///
    /// - Parameter database: its name; `nil` if the store or the bridge's address determines it.
    /// - Throws: `ValidationError` if the database is missing.
    func connect(to database: String?, _ logger: Logger, _ body: (any AdminConnection) async throws -> Void) async throws {
        guard let store else {
            guard database != nil || isGiven else {
                throw ValidationError(
                    "Name the database: DATABASE [--admin http://127.0.0.1:4985] for a running bridge, or --store DATABASE.dualgauge for a store."
                )
            }
            return try await body(try admin.connection(to: database))
        }
        guard database == nil else { throw ValidationError("--store determines the database; leave out its name.") }
        try await LocalAdminConnection.during(store: store, logger, body)
    }
}
