import Foundation
import GRDB
import SQLiteStorage
import Storage

/// A SQLite database of another program, read without leaving a trace.
///
/// It is opened as one that cannot change, so that SQLite makes no files beside it. If the program that wrote it has not tidied up, what it
/// left (a write-ahead log or a journal) belongs to the database: then both are copied, and the copy is read.
final class SourceDatabase: Sendable {
    private let label: String
    private let queue: DatabaseQueue
    private let copy: TemporaryCopy?

    /// - Throws: ``SourceError``.
    init(file: String, label: String) throws {
        self.label = label
        copy = try TemporaryCopy.ofUntidy(file, label: label)
        do {
            queue = try DatabaseQueue(
                path: copy?.file ?? "file:\(Self.escaped(file))?immutable=1", configuration: Self.configuration(isCopy: copy != nil))
        } catch {
            copy?.remove()
            throw SourceError(.damaged, "\(label): SQLite cannot open \(file). Take a fresh copy of the database.", cause: error)
        }
    }

    /// Runs `work` on the database. One at a time.
    func read<Value>(_ work: (Connection) throws -> Value) throws -> Value {
        try queue.unsafeRead { try work(Connection($0, path: label)) }
    }

    /// Closes the database, and removes the copy if there is one.
    func close() {
        try? queue.close()
        copy?.remove()
    }

    /// Whether an error says that a page cannot be read, so that other pages may be.
    static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? StorageError else { return false }
        return error.code == .corrupt || error.code == .inputOutput
    }

    private static func configuration(isCopy: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = !isCopy
        configuration.label = "migration source"
        configuration.prepareDatabase { database in
            // Lets a file be read that is shorter than it says of itself. Nothing is written by it.
            try database.execute(sql: "PRAGMA writable_schema = ON")
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            try database.execute(sql: "PRAGMA cell_size_check = ON")
            // The order of these does not matter here: nothing is sorted by them, but SQLite wants to know them before it uses an index.
            for name in ["REVID", "JSON", "JSON_RAW", "JSON_ASCII"] {
                database.add(collation: DatabaseCollation(name) { $0.compare($1, options: .literal) })
            }
        }
        return configuration
    }

    /// A path as a URI takes it.
    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }
}

/// Reading of a table of which some pages cannot be read.
enum Salvage {
    /// Reads the rows of a range of keys, halving it where that fails, until what is left is one key.
    ///
    /// - Parameter read: reads a range, or throws and has done nothing.
    /// - Returns: the ranges that cannot be read, as large as they are contiguous.
    static func read(_ range: ClosedRange<Int64>, _ read: (ClosedRange<Int64>) throws -> Void) throws -> [ClosedRange<Int64>] {
        var unreadable: [ClosedRange<Int64>] = []
        var waiting = [range]
        while let next = waiting.popLast() {
            do {
                try read(next)
            } catch  where SourceDatabase.isDamage(error) {
                guard next.lowerBound < next.upperBound else {
                    if let last = unreadable.last, last.upperBound + 1 == next.lowerBound {
                        unreadable[unreadable.count - 1] = last.lowerBound...next.upperBound
                    } else {
                        unreadable.append(next)
                    }
                    continue
                }
                let middle = next.lowerBound + (next.upperBound - next.lowerBound) / 2
                waiting.append(middle + 1...next.upperBound)
                waiting.append(next.lowerBound...middle)
            }
        }
        return unreadable
    }
}
