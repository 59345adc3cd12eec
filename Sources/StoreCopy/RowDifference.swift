package import Storage

/// A difference between the rows of two stores.
package struct RowDifference: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The second store lacks the row.
        case missing

        /// The first store lacks the row.
        case surplus

        /// The values of these columns differ.
        case values([String])
    }

    package let table: String

    /// The row's key for messages; the name of a single value.
    package let key: String
    package let kind: Kind

    package init(table: String, key: String, kind: Kind) {
        self.table = table
        self.key = key
        self.kind = kind
    }

    package var description: String {
        switch kind {
        case .missing: "\(table), \(key): is missing in the copy"
        case .surplus: "\(table), \(key): is in the copy alone"
        case .values(let columns): "\(table), \(key): another \(columns.joined(separator: ", "))"
        }
    }

    /// The differences of the single values of two stores.
    package static func values(_ first: StoreValues, _ second: StoreValues) -> [RowDifference] {
        zip(first.described, second.described).filter { $0.0.text != $0.1.text }.map { first, second in
            RowDifference(table: "store", key: first.name, kind: .values(["value (\(first.text), and \(second.text) in the copy)"]))
        }
    }
}
