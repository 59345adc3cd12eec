import Foundation

/// A backup of a server, and what had been said until then.
struct Backup {
    let file: String

    /// How many revisions had been acknowledged.
    let mark: Int

    static func remove(_ file: String) throws { try FileManager.default.removeItem(atPath: file) }
}
