import Foundation
import GRDB
import SQLiteStorage
import Storage

/// A read-only SQLite database of another program.
///
/// The database is opened as immutable, so that SQLite creates no files beside it. A remaining write-ahead log or rollback journal is part of the
/// database's content; if there is one, both are copied and the copy is read.
final class SourceDatabase: Sendable {
    private let label: String
    private let queue: DatabaseQueue
    private let copy: TemporaryCopy?

    /// - Throws: ``SourceError``.
    init(file: String, label: String) throws {
        self.label = label
        copy = try TemporaryCopy.make(ifNeededFor: file, label: label)
        do {
            queue = try DatabaseQueue(
                path: copy?.file ?? "file:\(Self.escaped(file))?immutable=1", configuration: Self.configuration(isCopy: copy != nil))
        } catch {
            copy?.remove()
            throw SourceError(.damaged, "\(label): SQLite cannot open \(file). Take a fresh copy of the database.", cause: error)
        }
    }

    /// Runs `work` on the database. Calls are serialised.
    func read<Value>(_ work: (Connection) throws -> Value) throws -> Value {
        try queue.unsafeRead { try work(Connection($0, path: label)) }
    }

    /// Closes the database, and removes the copy if there is one.
    func close() {
        try? queue.close()
        copy?.remove()
    }

    /// Whether an error reports a damaged page, so that other pages may be readable.
    static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? StorageError else { return false }
        return error.code == .corrupt || error.code == .inputOutput
    }

    private static func configuration(isCopy: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = !isCopy
        configuration.label = "migration source"
        configuration.prepareDatabase { database in
            // Allows reading a file that is shorter than its header claims. Nothing is written.
            try database.execute(sql: "PRAGMA writable_schema = ON")
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            try database.execute(sql: "PRAGMA cell_size_check = ON")
            // SQLite requires these collations to be registered before it uses an index. Their order is irrelevant, because nothing is sorted by
            // them.
            for name in ["REVID", "JSON", "JSON_RAW", "JSON_ASCII"] {
                database.add(collation: DatabaseCollation(name) { $0.compare($1, options: .literal) })
            }
        }
        return configuration
    }

    /// The path with URI escapes.
    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }
}

/// Reads tables with damaged pages.
enum Salvage {
    /// Reads the rows of a key range by bisection: a range that fails is halved until single keys remain.
    ///
    /// - Parameter read: Reads a range; must have no effect if it throws.
    /// - Returns: The unreadable ranges, with contiguous ranges merged.
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
