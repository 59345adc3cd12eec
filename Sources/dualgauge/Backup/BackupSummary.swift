import Foundation
import Storage

/// What `backup --json` and `restore --json` print.
struct BackupSummary: Encodable {
    let store: String
    let file: String

    /// The file's size.
    let bytes: Int

    /// Of a series: whether the backup was restored and checked, and how many earlier ones were removed.
    var isChecked: Bool?
    var removed: Int?

    enum CodingKeys: String, CodingKey {
        case store, file, bytes, removed
        case isChecked = "checked"
    }

    /// - Parameter file: Is there.
    init(store: String, file: String) throws {
        self.store = store
        self.file = file
        bytes = (try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
    }

    /// Copies a store, which may be served, into a file that is not there yet.
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
