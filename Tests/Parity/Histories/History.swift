/// The steps with a new database, from the beginning to the end.
struct History: Hashable {
    /// A step keeps its number when others are left out, because revisions are named after it.
    struct Numbered: Hashable {
        var number: Int
        var step: Step
    }

    var seed: UInt64
    var dialect: Dialect

    /// Whether the sync function leaves a tombstone in the channels of the deleted revision.
    var keepsTombstones: Bool

    /// Whether users log in with each request, by passwords; otherwise they have sessions.
    var hasPasswords = false
    var clients: [Client]
    var steps: [Numbered]

    /// The sync function of every keyspace.
    var syncFunction: String {
        """
        function (doc, oldDoc) {
          if (doc.owner) requireUser(doc.owner);
          if (doc.needs) requireAccess(doc.needs);
          var said = \(keepsTombstones ? "doc._deleted && oldDoc ? oldDoc : doc" : "doc");
          channel(said.channels);
          if (doc.access) access(doc.access.to, doc.access.channels);
          if (doc.role) role(doc.role.to, doc.role.roles);
        }
        """
    }
}

extension History: CustomStringConvertible {
    /// The lines that ``init(parsing:)`` reads.
    var lines: [String] {
        ["history seed=\(seed) dialect=\(dialect.rawValue)\(keepsTombstones ? " tombstones" : "")\(hasPasswords ? " passwords" : "")"]
            + clients.map(\.description) + steps.map { "\($0.number) \($0.step)" }
    }

    var description: String { lines.joined(separator: "\n") }

    init(parsing lines: [String]) throws {
        guard let head = lines.first.map(Words.init), head.plain.first == "history",
            let seed = head.values["seed"].flatMap({ UInt64($0) }), let dialect = head.values["dialect"].flatMap(Dialect.init)
        else { throw HistoryTextError(line: lines.first ?? "") }
        self.init(
            seed: seed, dialect: dialect, keepsTombstones: head.has("tombstones"), hasPasswords: head.has("passwords"), clients: [],
            steps: [])
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ", maxSplits: 1)
            if parts.first == "client" {
                clients.append(try Client(parsing: line))
            } else if parts.count == 2, let number = Int(parts[0]) {
                steps.append(Numbered(number: number, step: try Step(parsing: String(parts[1]))))
            } else {
                throw HistoryTextError(line: line)
            }
        }
    }
}
