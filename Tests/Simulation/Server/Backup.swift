import Cutover

/// A backup of a server, with the marks of its time.
struct Backup {
    let file: String

    /// The ledger's mark at that time.
    let mark: Int

    /// The stage of the cutover at that time.
    let stage: CutoverStage?
}
