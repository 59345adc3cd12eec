import Foundation

/// A backup of a server, and what had been said until then.
struct Backup {
    let file: String

    /// The ledger's mark then.
    let mark: Int

    static func remove(_ file: String) throws { try FileManager.default.removeItem(atPath: file) }
}
