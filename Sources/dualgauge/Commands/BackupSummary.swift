/// What `backup --json` and `restore --json` print.
struct BackupSummary: Encodable {
    let store: String
    let file: String

    /// The file's size.
    let bytes: Int
}
