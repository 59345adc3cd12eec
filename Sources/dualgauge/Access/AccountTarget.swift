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

    @OptionGroup var reach: AdminReach

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
