import ArgumentParser
import Coordination
import Foundation
import HTTP
import SQLiteStorage
import Storage

/// `dualgauge backup STORE FILE`, or `--to DIR` for a series.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a store into one file, while it may be served.",
        discussion: """
            The copy is of one moment, complete and on the disk when the command ends; if it fails, no file is left. \
            `dualgauge restore` makes a store of it again.

            With --to the file is named by the store and the time, is restored beside itself and checked, and earlier ones are removed by --keep. \
            With --every this continues until Ctrl-C or SIGTERM; a failed backup is reported, and the next one is tried at its time.

              dualgauge backup shop.dualgauge shop.backup
              dualgauge backup shop.dualgauge --to /var/backups/shop --every 1h --keep 24h:hourly,30d:daily

            Exit codes: 0 done; 2 the file exists already; 3 the store cannot be read, or the file cannot be written, or the backup is not sound.
            """)

    @Argument(help: "The store's folder, such as shop.dualgauge.", completion: .directory)
    var store: String

    @Argument(help: "The file to write. It must not exist yet.", completion: .file())
    var file: String?

    @Option(help: "The folder of a series of backups, in place of a file. It is created if it does not exist.", completion: .directory)
    var to: String?

    @Option(help: ArgumentHelp("With --to: makes a backup at once, and another one each TIME, such as 15m, 1h or 1d.", valueName: "time"))
    var every: BackupInterval?

    @Option(
        help: ArgumentHelp(
            """
            With --to: the earlier backups to keep, as AGE:PERIOD. PERIOD is all, hourly, daily, weekly or monthly, and the latest backup of each \
            period is kept. Without this option all are kept.
            """,
            valueName: "rules"))
    var keep: BackupRetention?

    @Flag(
        inversion: .prefixedNo,
        help: "With --to: restores each backup beside itself and checks it, which needs its size on the disk once more.")
    var check = true

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if (file == nil) == (to == nil) { throw ValidationError("Name a file, or a folder with --to") }
        try StoreArgument.refuseServer(store, "backup")
        if to == nil, every != nil || keep != nil || !check { throw ValidationError("--every, --keep and --no-check need --to") }
    }

    func run() async throws {
        if let to {
            let series = BackupSeries(store: store, folder: to, retention: keep, isChecked: check)
            if let every { await run(series, every: every) } else { try report(try await series.make(at: .now)) }
        } else if let file {
            try await copy(to: file)
        }
    }

    private func copy(to file: String) async throws {
        guard !FileManager.default.fileExists(atPath: file) else {
            throw UserFileError(message: "\(file) exists already; name another file, or remove it first")
        }
        try report(try await BackupSummary.copying(store, to: file))
    }

    /// Runs backups at the interval until the first signal. A backup in progress is finished.
    private func run(_ series: BackupSeries, every interval: BackupInterval) async {
        let rounds = Task {
            var next = ContinuousClock.now
            while !Task.isCancelled {
                do {
                    try report(try await series.make(at: .now))
                } catch {
                    let message = (error as? StorageError)?.message ?? NetworkErrorText.text(error)
                    StandardStream.errors.write("dualgauge: \(message)\nThe next try is in \(interval.seconds) s.\n")
                }
                // A backup that took longer than the interval is followed by the next one at once. Missed backups are not made up for.
                next = max(next + .seconds(interval.seconds), .now)
                guard (try? await suspend(for: next - .now)) != nil else { return }
            }
        }
        let interruption = Interruption { rounds.cancel() }
        await rounds.value
        interruption.end()
    }

    private func report(_ summary: BackupSummary) throws {
        if output.json { return try JSONOutput.print(summary) }
        let checked = summary.isChecked == true ? ", checked" : ""
        let removed = summary.removed.map { $0 == 0 ? "" : "; \($0) earlier removed" } ?? ""
        StandardStream.output.write("\(store) is copied to \(summary.file), \(summary.bytes) bytes\(checked)\(removed).\n")
    }
}

/// The output of `backup --json` and `restore --json`.
struct BackupSummary: Encodable {
    let store: String
    let file: String

    /// The file's size.
    let bytes: Int

    /// For a backup of a series: whether the backup was restored and checked, and the number of removed backups.
    var isChecked: Bool?
    var removed: Int?

    enum CodingKeys: String, CodingKey {
        case store, file, bytes, removed
        case isChecked = "checked"
    }

    /// - Parameter file: The path of an existing backup.
    init(store: String, file: String) throws {
        self.store = store
        self.file = file
        bytes = (try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
    }

    /// Copies a store, which may be in use, into a new file.
    static func copying(_ store: String, to file: String) async throws -> BackupSummary {
        var options = SQLiteStore.Options()
        options.isReadOnly = true
        let source = try SQLiteStore(path: store, options: options)
        do {
            try await source.backup(to: file)
        } catch {
            try await source.close()
            throw error
        }
        try await source.close()
        return try BackupSummary(store: store, file: file)
    }
}
