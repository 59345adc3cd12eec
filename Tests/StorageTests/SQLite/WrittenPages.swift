import Foundation
import GRDB

@testable import SQLiteStorage
@testable import Storage

/// The tables and indexes whose pages a commit has written, by name, from the frames that it has added to the log.
struct WrittenPages {
    private static let headerSize = 32
    private static let frameSize = 24 + 4096

    private let file: String
    private let start: Int

    /// Starts after the last commit.
    init(_ store: SQLiteStore) throws {
        file = SQLiteStore.file(in: store.path)
        start = try Data(contentsOf: URL(fileURLWithPath: file + "-wal")).count
    }

    /// The number of different pages that the commits since have written, by table and index.
    func counts() throws -> [String: Int] {
        let log = try Data(contentsOf: URL(fileURLWithPath: file + "-wal"))
        let pages = stride(from: max(start, Self.headerSize), to: log.count, by: Self.frameSize).map { frame in
            log[frame..<frame + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: file, configuration: configuration)
        defer { try? queue.close() }
        let names = try queue.read { database in
            try Row.fetchAll(database, sql: "SELECT pageno, name FROM dbstat").reduce(into: [Int: String]()) { $0[$1[0]] = $1[1] }
        }
        return Set(pages).reduce(into: [:]) { counts, page in
            if let name = names[page] { counts[name, default: 0] += 1 }
        }
    }
}
