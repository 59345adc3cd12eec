import Foundation

/// The bridges that have a store open, and the bridge among them that has the lease for the work that must run once: replications, expiry, resync,
/// moves and steps of the cutover. It is a value in the store.
package struct BridgeRoster: Hashable, Sendable, Codable {
    /// A bridge with the store open.
    package struct Bridge: Hashable, Sendable, Codable {
        /// Its machine and process, for operators.
        package var name: String

        /// The time of its start, in milliseconds since 1970.
        package var started: Int64

        /// The number of its signs of life. Others measure with their own clocks how long it stays the same.
        package var beat: Int64

        /// Its open connections and feeds of clients.
        package var clients: Int

        /// The stage of the cutover that it has entered; `nil` without a cutover.
        package var stage: String?

        /// Whether it stops soon, and takes no lease; `nil` for a bridge that does not.
        package var isStopping: Bool?
    }

    /// The bridges by their IDs.
    package var bridges: [String: Bridge] = [:]

    /// The ID of the bridge that does the work; `nil` for none.
    package var holder: String?

    /// Raised with each change of the holder. A write of the work is refused under an older number.
    package var fence: Int64 = 0

    /// The name of the store's setting.
    private static let setting = "bridges"

    package init() {}

    /// Reads the roster of a snapshot; empty if there is none.
    ///
    /// - Throws: ``StorageError``, with code `corrupt` for a damaged roster.
    package init(in snapshot: any StoreSnapshot) throws {
        guard let text = try snapshot.setting(Self.setting) else { return }
        do {
            self = try JSONDecoder().decode(BridgeRoster.self, from: Data(text.utf8))
        } catch {
            throw StorageError(
                .corrupt, "The setting '\(Self.setting)' of the store cannot be read. Delete its row while no bridge runs.", cause: error)
        }
    }

    /// Writes the roster.
    package func write(in transaction: any StoreTransaction) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try transaction.set(String(decoding: try encoder.encode(self), as: UTF8.self), forSetting: Self.setting)
    }

    /// Whether a bridge does the work under a fence.
    package func permits(_ bridge: String, _ fence: Int64) -> Bool { holder == bridge && self.fence == fence }
}
