import Documents

/// The SQL by which rows are copied, in the dialect of an engine.
package struct RowStatements: Sendable {
    /// The journal of changes in a source, and the changes in a target while they are applied.
    package static let journal = "outgoing_changes"
    package static let staged = "staged_changes"

    /// The names of columns that the engine's schema calls otherwise.
    private let names: [String: String]

    /// A condition that rows of a table have to meet.
    private let filters: [String: String]

    /// Columns that are looked up by a function of their value, because an index has no room for values of any length: the function.
    private let lookups: [String: String]

    /// The join of changes with rows, in which the changes come first.
    private let joining: String

    /// Writes text, and bytes.
    private let text: @Sendable (String) -> String
    private let bytes: @Sendable (String) -> String

    /// - Parameters:
    ///   - names: The engine's names of columns.
    ///   - filters: Conditions by the table's name.
    ///   - lookups: The functions by `table.column`.
    ///   - joining: The operator of a join that is not reordered.
    ///   - text: Makes a literal of hexadecimal digits for a text.
    ///   - bytes: The same for bytes.
    package init(
        names: [String: String] = [:], filters: [String: String] = [:], lookups: [String: String] = [:],
        joining: String = "JOIN", text: @escaping @Sendable (String) -> String, bytes: @escaping @Sendable (String) -> String
    ) {
        self.names = names
        self.filters = filters
        self.lookups = lookups
        self.joining = joining
        self.text = text
        self.bytes = bytes
    }

    /// The name of a column in the engine's schema, in quotes.
    package func name(_ column: String) -> String { "\"\(names[column] ?? column)\"" }

    /// The columns of a table, each with a prefix.
    package func columns(_ table: CopiedTable, _ prefix: String = "") -> String {
        table.columns.map { prefix + name($0.name) }.joined(separator: ", ")
    }

    private func keyColumns(_ table: CopiedTable, _ prefix: String = "") -> String {
        table.keyColumns.map { prefix + name($0.name) }.joined(separator: ", ")
    }

    private func literal(_ value: StoredKey.Value, _ kind: CopiedTable.Kind) -> String {
        switch value {
        case .integer(let number): number == .min ? "(-9223372036854775807 - 1)" : "\(number)"
        case .bytes(let content): kind == .text ? text(Hex.text(content)) : bytes(Hex.text(content))
        }
    }

    private func literals(_ key: StoredKey, _ table: CopiedTable) -> String {
        zip(key.values, table.keyColumns).map { literal($0, $1.kind) }.joined(separator: ", ")
    }

    private func conditions(_ parts: [String?]) -> String {
        let parts = parts.compactMap { $0 }
        return parts.isEmpty ? "" : " WHERE " + parts.joined(separator: " AND ")
    }

    /// The rows of a table behind a key, in order.
    package func rows(of table: CopiedTable, after key: StoredKey?) -> String {
        let place = key.map { "(\(keyColumns(table))) > (\(literals($0, table)))" }
        return "SELECT \(columns(table)) FROM \(table.name)\(conditions([filters[table.name], place])) ORDER BY \(keyColumns(table))"
    }

    private func isChange(of table: CopiedTable, in range: ChangeRange) -> String {
        let columns = table.journalColumns.joined(separator: ", ")
        let place = range.last.map { " AND (\(columns)) <= (\(literals($0, table)))" } ?? ""
        return "place = \(table.number) AND number > \(range.start) AND number <= \(range.end)\(place)"
    }

    /// The last number in the journal.
    package var lastChange: String { "SELECT coalesce(max(number), 0) FROM \(Self.journal)" }

    /// The numbers of the tables with changes.
    package func changedTables(in range: ChangeRange) -> String {
        "SELECT DISTINCT place FROM \(Self.journal) WHERE number > \(range.start) AND number <= \(range.end) ORDER BY place"
    }

    /// The keys in the journal, each once.
    package func changes(of table: CopiedTable, in range: ChangeRange) -> String {
        "SELECT DISTINCT \(columns(table.changes(in: Self.journal))) FROM \(Self.journal) WHERE \(isChange(of: table, in: range))"
    }

    /// The rows whose keys the journal has, in order.
    package func changedRows(of table: CopiedTable, in range: ChangeRange) -> String {
        "SELECT \(columns(table, "t.")) FROM (\(changes(of: table, in: range))) c \(joining) \(table.name) t ON \(join(table)) "
            + "ORDER BY \(keyColumns(table, "t."))"
    }

    /// The staged rows that are there, in order.
    package func stagedRows(of table: CopiedTable) -> String {
        "SELECT \(columns(table, "t.")) FROM \(Self.staged) c \(joining) \(table.name) t ON \(join(table)) WHERE c.place = \(table.number) "
            + "ORDER BY \(keyColumns(table, "t."))"
    }

    /// The condition that a row `t` has the key in `c`.
    package func join(_ table: CopiedTable) -> String {
        zip(table.keyColumns, table.journalColumns).map { column, place in
            let own = "t.\(name(column.name))"
            let lookup = lookups["\(table.name).\(column.name)"].map { "\($0)(\(own)) = \($0)(c.\(place)) AND " } ?? ""
            return "\(lookup)\(own) = c.\(place)"
        }.joined(separator: " AND ")
    }

    /// The statement of a trigger that notes the key of a row.
    ///
    /// - Parameters:
    ///   - row: `OLD` or `NEW`.
    ///   - schema: A prefix of the journal's name.
    package func note(_ table: CopiedTable, _ row: String, schema: String = "") -> String {
        let columns = (["place"] + table.journalColumns).joined(separator: ", ")
        let values = (["\(table.number)"] + table.keyColumns.map { "\(row).\(name($0.name))" }).joined(separator: ", ")
        return "INSERT INTO \(schema)\(Self.journal) (\(columns)) VALUES (\(values))"
    }

    /// The condition under which a trigger notes a row; `nil` for always.
    package func filter(_ table: CopiedTable) -> String? { filters[table.name] }
}
