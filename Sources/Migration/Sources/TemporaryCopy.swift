import Foundation

/// A copy, in its own folder, of a database with an uncommitted write-ahead log or journal.
struct TemporaryCopy: Sendable {
    /// The copy of the database's file.
    let file: String

    private let folder: String

    /// Copies the database if a write-ahead log or journal exists.
    ///
    /// - Returns: `nil` if the file is complete without them.
    /// - Throws: ``SourceError`` if the copy fails, or if the database changes meanwhile.
    static func make(ifNeededFor file: String, label: String) throws -> TemporaryCopy? {
        let besides = ["-wal", "-journal"].filter { size("\(file)\($0)").map { $0 > 0 } ?? false }
        guard !besides.isEmpty else { return nil }
        let files = FileManager.default
        let folder = files.temporaryDirectory.path + "/dualgauge-source-\(UUID().uuidString)"
        let copy = TemporaryCopy(file: "\(folder)/db.sqlite3", folder: folder)
        do {
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let before = try state(file, besides)
            for suffix in [""] + besides {
                try files.copyItem(atPath: file + suffix, toPath: copy.file + suffix)
                try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.file + suffix)
            }
            guard try state(file, besides) == before else {
                throw SourceError(.changed, "\(label): a program is writing the database. Quit the program, or read a copy.")
            }
            return copy
        } catch {
            copy.remove()
            if error is SourceError { throw error }
            throw SourceError(
                .unreachable,
                "\(label): the database has a log beside it and must be copied to \(folder), which failed. Free some space "
                    + "there, or let the program that wrote it close it properly.", cause: error)
        }
    }

    /// Removes the copy.
    func remove() {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func size(_ file: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: file))?[.size] as? Int
    }

    private static func state(_ file: String, _ besides: [String]) throws -> [String] {
        try ([""] + besides).map { suffix in
            let attributes = try FileManager.default.attributesOfItem(atPath: file + suffix)
            return "\(attributes[.size] ?? 0) \((attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0)"
        }
    }
}
