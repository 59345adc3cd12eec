import ArgumentParser
import Foundation
import Storage

/// `dualgauge backup STORE FILE`.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a store into one file, while it may be served.",
        discussion: """
            The copy is of one moment, complete and on the disk when the command ends; if it fails, no file is left. \
            `dualgauge restore` makes a store of it again.

            Exit codes: 0 done; 2 the file is there already; 3 the store cannot be read, or the file cannot be written.
            """)

    @Argument(help: "The store's folder, such as shop.dualgauge.", completion: .directory)
    var store: String

    @Argument(help: "The file to write. It must not be there yet.", completion: .file())
    var file: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        guard !FileManager.default.fileExists(atPath: file) else {
            throw UserFileError(message: "\(file) is there already; name another file, or remove it first")
        }
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
        let bytes = (try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
        if output.json {
            try JSONOutput.print(BackupSummary(store: store, file: file, bytes: bytes))
        } else {
            print("\(store) is copied to \(file), \(bytes) bytes.")
        }
    }
}
