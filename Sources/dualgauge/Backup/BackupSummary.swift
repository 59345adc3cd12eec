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
}
