import Cutover
import Foundation

/// A backup of a server, and what had been said until then.
struct Backup {
    let file: String

    /// The ledger's mark then.
    let mark: Int

    /// The stage of the cutover then.
    let stage: CutoverStage?

    static func remove(_ file: String) throws { try FileManager.default.removeItem(atPath: file) }
}
