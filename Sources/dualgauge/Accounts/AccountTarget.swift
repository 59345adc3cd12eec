import ArgumentParser
import Logging

/// A user, a role or a session, and the database that it is of: `DATABASE NAME`, or `NAME` alone where --store or the bridge's address says which
/// database.
///
/// The commands of before took `NAME DATABASE`. Where the second word alone is a database, that order is still understood.
struct AccountTarget: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The database of a running bridge, and the name or ID in it; with --store the name alone.", valueName: "database> <name"))
    var words: [String] = []

    @OptionGroup var reach: AccountLocation

    /// How a command with it is typed.
    static func usage(_ command: String, _ name: String = "<name>") -> String {
        "dualgauge \(command) <database> \(name) [<options>]\ndualgauge \(command) --store <folder> \(name) [<options>]"
    }

    func validate() throws {
        guard words.count <= 2, words.allSatisfy({ !$0.isEmpty }) else {
            throw ValidationError("Give the database and the name in it, such as `shop anna`, and no more words.")
        }
    }

    /// Opens the way to the database, and closes it after `body`.
    ///
    /// - Parameters:
    ///   - kind: what the name is, for messages: `user`.
    ///   - body: gets the name, too.
    /// - Throws: `ValidationError` if it is not said which database or which name is meant.
    func connect(_ kind: String, _ logger: Logger, _ body: (any AdminConnection, String) async throws -> Void) async throws {
        guard let last = words.last else { throw ValidationError("Say which \(kind): DATABASE NAME, or NAME with --store.") }
        guard words.count == 2 else {
            guard reach.isGiven else {
                throw ValidationError(
                    "`\(last)` stands alone: give DATABASE NAME for a running bridge (--admin http://127.0.0.1:4985), "
                        + "or NAME with --store DATABASE.dualgauge.")
            }
            return try await reach.connect(to: nil, logger) { try await body($0, last) }
        }
        guard !isOldOrder else { return try await reach.connect(to: last, logger) { try await body($0, words[0]) } }
        try await reach.connect(to: words[0], logger) { connection in
            guard try await Self.isMissing(connection) else { return try await body(connection, last) }
            let other = try reach.admin.connection(to: last)
            // Neither word is a database: the request itself says so of the first.
            guard try await !Self.isMissing(other) else { return try await body(connection, last) }
            StandardStream.errors.write("dualgauge: the database stands first: `\(last) \(words[0])`\n")
            try await body(other, words[0])
        }
    }

    /// Whether the second of two words has to be the database: no name has the form of a URL, and the bridge's address may have the database.
    private var isOldOrder: Bool {
        words[1].contains("://") || ((try? reach.admin.place(of: words[0])) == nil && (try? reach.admin.place(of: words[1])) != nil)
    }

    /// Whether the bridge says that there is no such database.
    private static func isMissing(_ connection: any AdminConnection) async throws -> Bool {
        try await connection.send("GET", "", []).status == 404
    }
}

/// Whose users, roles and sessions are meant: those of a database of a running bridge, or those of a store.
struct AdminEndpoint: ParsableArguments {
    @Argument(help: ArgumentHelp("The name of a database of a running bridge; with --store there is none.", valueName: "database"))
    var database: String?

    @OptionGroup var reach: AccountLocation

    /// Opens the way there, and closes it after `body`.
    ///
    /// - Throws: `ValidationError` if it is not said which database is meant.
    func connect(_ logger: Logger, _ body: (any AdminConnection) async throws -> Void) async throws {
        try await reach.connect(to: database, logger, body)
    }
}

/// The way to where users, roles and sessions are changed: a running bridge, or a store.
struct AccountLocation: ParsableArguments {
    @Option(help: "A store's folder, in place of a running bridge.", completion: .directory)
    var store: String?

    @OptionGroup(title: "The bridge") var admin: AdminOptions

    func validate() throws {
        guard store == nil || !admin.isGiven else {
            throw ValidationError("--admin and --store do not go together: it is a running bridge or a store.")
        }
    }

    /// Whether the command line or the environment says where the accounts are.
    var isGiven: Bool { store != nil || admin.isGiven || AdminOptions.Variable.address.value != nil }

    /// Opens the way to a database, and closes it after `body`.
    ///
    /// - Parameter database: its name; `nil` where the store or the bridge's address says which one it is.
    /// - Throws: `ValidationError` if it is not said which database is meant.
    func connect(to database: String?, _ logger: Logger, _ body: (any AdminConnection) async throws -> Void) async throws {
        guard let store else {
            guard database != nil || isGiven else {
                throw ValidationError(
                    "Say where: DATABASE [--admin http://127.0.0.1:4985] for a running bridge, or --store DATABASE.dualgauge for a store.")
            }
            return try await body(try admin.connection(to: database))
        }
        guard database == nil else { throw ValidationError("--store says which database is meant; leave its name away.") }
        try await LocalAdminConnection.during(store: store, logger, body)
    }
}
