import Documents

/// A table of a store that a copy takes along, in the form that all engines share.
package struct CopiedTable: Sendable {
    /// The kind of a column's values.
    package enum Kind: Sendable {
        case integer

        /// 0 or 1.
        case flag

        /// Text in UTF-8.
        case text
        case bytes
    }

    package struct Column: Sendable {
        package let name: String
        package let kind: Kind
    }

    package let name: String
    package let columns: [Column]

    /// The indexes of the columns that identify a row, in the order in which rows are read. Their values are integers, texts or bytes, and never
    /// null.
    package let key: [Int]

    /// The number by which journals of changes name the table. Unfinished copies contain it, so it stays as it is.
    package let number: Int64

    init(
        _ number: Int64, _ name: String, key: [String], integers: [String] = [], flags: [String] = [], texts: [String] = [],
        bytes: [String] = []
    ) {
        self.number = number
        self.name = name
        let columns =
            integers.map { Column(name: $0, kind: .integer) } + flags.map { Column(name: $0, kind: .flag) }
            + texts.map { Column(name: $0, kind: .text) } + bytes.map { Column(name: $0, kind: .bytes) }
        self.columns = columns
        self.key = key.compactMap { name in columns.firstIndex { $0.name == name } }
    }

    /// The columns of the key.
    package var keyColumns: [Column] { key.map { columns[$0] } }

    /// Identifies the tables and columns of this program: a copy cannot go on with others.
    package static let layout: String = {
        let names = all.map { "\($0.name)(\($0.columns.map { "\($0.name) \($0.kind)" }.joined(separator: ",")))" }
        return AttachmentDigest.sha1(of: names.joined(separator: ";").utf8).description
    }()

    /// The table with this name; `nil` if a copy takes no such table along.
    package static func named(_ name: String) -> CopiedTable? { all.first { $0.name == name } }
}

extension CopiedTable: Hashable {
    package static func == (a: CopiedTable, b: CopiedTable) -> Bool { a.number == b.number && a.name == b.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension CopiedTable {
    /// The columns of a journal: the key's integers are in the first ones, its texts and bytes in the others, both in the order of the key.
    package static let journalIntegers = ["i0", "i1", "i2", "i3", "i4"]
    package static let journalBytes = ["b0", "b1", "b2"]

    /// The journal's column for each column of the key.
    package var journalColumns: [String] {
        var (integers, bytes) = (Self.journalIntegers[...], Self.journalBytes[...])
        return keyColumns.map { ($0.kind == .integer ? integers.popFirst() : bytes.popFirst()) ?? "" }
    }

    /// The rows of the journal that name rows of this table, as rows of a table `name`.
    package func changes(in name: String) -> CopiedTable {
        let pairs = zip(keyColumns, journalColumns)
        func names(_ kind: Kind) -> [String] { pairs.filter { $0.0.kind == kind }.map(\.1) }
        return CopiedTable(
            number, name, key: ["place"] + journalColumns, integers: ["place"] + names(.integer), texts: names(.text), bytes: names(.bytes))
    }
}
