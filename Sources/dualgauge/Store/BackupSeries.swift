import Foundation
import SQLiteStorage
import Storage

/// The backups of one store in a folder. Each file name contains the time of the backup.
struct BackupSeries: Sendable {
    private static let suffix = ".backup"

    /// The suffix of a backup that is not yet checked, and of the store that is restored from it for the check.
    private static let unchecked = ".unchecked"
    private static let trial = ".trial"

    let store: String
    let folder: String

    /// The retention rules; `nil` retains all backups.
    let retention: BackupRetention?

    /// Whether each backup is restored beside itself and checked.
    let isChecked: Bool

    /// Creates a backup, checks it, and removes the backups that the retention rules do not retain. Nothing is removed unless the new backup is
    /// sound.
    ///
    /// - Throws: ``StorageError``, with code `corrupt` if the check fails; the new backup is then removed.
    func make(at time: Date) async throws -> BackupSummary {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try removeUnfinished()
        let (file, unchecked) = (self.file(of: time), self.file(of: time) + Self.unchecked)
        guard !FileManager.default.fileExists(atPath: file) else {
            throw StorageError(.conflict, "\(file): the file exists. Make the next backup in another second.")
        }
        _ = try await BackupSummary.copying(store, to: unchecked)
        if isChecked { try await check(unchecked) }
        try FileManager.default.moveItem(atPath: unchecked, toPath: file)
        var summary = try BackupSummary(store: store, file: file)
        summary.isChecked = isChecked
        summary.removed = try prune(now: time)
        return summary
    }

    private func check(_ file: String) async throws {
        let trial = file + Self.trial
        defer { try? FileManager.default.removeItem(atPath: trial) }
        do {
            try SQLiteStore.restore(from: file, to: trial)
            let restored = try SQLiteStore(path: trial)
            let report: CheckReport
            do {
                report = try await restored.check(limit: 20)
            } catch {
                try? await restored.close()
                throw error
            }
            try await restored.close()
            guard report.isSound else {
                throw StorageError(
                    .corrupt,
                    "A backup of \(store) is not sound, and was removed. Earlier ones are kept. Check the store: dualgauge check \(store)\n\(CheckOutput(report).rendered)"
                )
            }
        } catch {
            try? FileManager.default.removeItem(atPath: file)
            guard let full = error as? StorageError, full.code == .full else { throw error }
            throw StorageError(
                .full,
                "\(folder) has no room for a backup of \(store) and for its check, which needs the same space again. Free some space.",
                cause: full)
        }
    }

    private var prefix: String { URL(fileURLWithPath: store).lastPathComponent + "-" }

    private func file(of time: Date) -> String {
        URL(fileURLWithPath: folder).appendingPathComponent(prefix + time.formatted(Self.style) + Self.suffix).path
    }

    /// The format of times in file names: `20261127T090300Z`.
    private static let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)

    /// The time in the name of a backup of this store; `nil` for other files.
    private func time(of name: String) -> Date? {
        guard name.hasPrefix(prefix), name.hasSuffix(Self.suffix) else { return nil }
        return try? Date(String(name.dropFirst(prefix.count).dropLast(Self.suffix.count)), strategy: Self.style)
    }

    /// Removes unfinished files of an earlier run that was killed.
    private func removeUnfinished() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            guard let end = name.range(of: Self.suffix + Self.unchecked), time(of: String(name[..<end.lowerBound]) + Self.suffix) != nil
            else { continue }
            try FileManager.default.removeItem(atPath: URL(fileURLWithPath: folder).appendingPathComponent(name).path)
        }
    }

    private func prune(now: Date) throws -> Int {
        guard let retention else { return 0 }
        var names: [Date: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            if let time = time(of: name) { names[time] = name }
        }
        let kept = retention.kept(of: Array(names.keys), now: now)
        let gone = names.filter { !kept.contains($0.key) }
        for name in gone.values {
            try FileManager.default.removeItem(atPath: URL(fileURLWithPath: folder).appendingPathComponent(name).path)
        }
        return gone.count
    }
}
