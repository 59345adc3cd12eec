import CVersion
import Server
import Storage

/// The answer to `--version`: the version, the schema of the stores that the program writes, and the commit from which it was built, if the build told it.
enum ProgramVersion {
    static var text: String {
        let commit = String(cString: dualgauge_commit())
        return "\(ServerVersion.current) (schema \(SQLiteStore.schemaVersion)\(commit.isEmpty ? "" : ", commit \(commit)"))"
    }
}
