import Foundation

/// The state of an unfinished copy, which its target keeps: each batch changes it in its own transaction.
package struct CopyRecord: Hashable, Sendable, Codable {
    /// The parts of a copy's work.
    package enum Phase: String, Hashable, Sendable, Codable {
        /// Rows are copied for the first time.
        case copying

        /// All rows are there and are compared with the source's.
        case verifying

        /// All rows were compared. Only changes are copied.
        case following
    }

    /// Identifies the copy in the source and in the target.
    package let copy: String

    /// The source's place, for messages.
    package let source: String

    /// The UUID of the store that is copied, as hexadecimal digits.
    package let store: String

    /// The tables and columns of the program that has begun the copy.
    package let layout: String

    package var phase = Phase.copying

    /// The table in work, and its last row of which the phase is done; `nil` before the first row.
    package var table: String?
    package var key: StoredKey?

    /// The number of the source's last change that the copied rows contain.
    package var applied: Int64 = 0

    /// The rows copied for the first time, and their bytes.
    package var rows = 0
    package var bytes = 0

    package init(copy: String, source: String, store: String, layout: String = CopiedTable.layout) {
        self.layout = layout
        self.copy = copy
        self.source = source
        self.store = store
    }
}

/// The mark in a store of which a copy is being made.
package struct OutgoingCopy: Hashable, Sendable, Codable {
    package let copy: String

    /// The target's place, for messages.
    package let target: String

    package init(copy: String, target: String) {
        self.copy = copy
        self.target = target
    }
}

/// The mark in a store whose content was moved to another place. The store is read, and refuses every write.
package struct MovedMark: Hashable, Sendable, Codable {
    /// The copy that has moved it.
    package let copy: String

    /// The new place, for messages.
    package let target: String

    package init(copy: String, target: String) {
        self.copy = copy
        self.target = target
    }

    /// The failure of a write.
    package func error(at place: String) -> StorageError {
        StorageError(
            .moved,
            """
            \(place): the store was moved to \(target), and is only read here. Open the new place; or take the store into use here again with \
            `dualgauge copy --release`, which leaves out the writes at the new place.
            """)
    }
}

/// The texts of the marks in a store.
package enum CopyMarkText {
    package static func text(_ mark: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(mark), as: UTF8.self)
    }

    /// - Throws: ``StorageError`` `corrupt` for a text that cannot be read.
    package static func read<Mark: Decodable>(_ text: String, as type: Mark.Type = Mark.self, at place: String) throws -> Mark {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw StorageError(.corrupt, "\(place): the mark of a copy cannot be read. Restore a backup.", cause: error)
        }
    }

    /// The failure of opening an unfinished copy as a store.
    package static func unfinished(at place: String) -> StorageError {
        StorageError(
            .notAStore,
            """
            \(place): is an unfinished copy of a store. Repeat `dualgauge copy` with the same source to finish it, or remove it and open the \
            source.
            """)
    }
}
