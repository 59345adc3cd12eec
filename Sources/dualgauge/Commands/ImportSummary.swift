import Server

/// What `config import --json` prints.
struct ImportSummary: Encodable {
    let databases: [String]
    let notes: [String]
    let dropped: [GatewayImport.Dropped]

    /// The file's text, where none was written.
    let configuration: String?

    init(_ result: GatewayImport, isWritten: Bool) {
        databases = result.databases
        notes = result.notes
        dropped = result.dropped
        configuration = isWritten ? nil : result.yaml
    }
}
