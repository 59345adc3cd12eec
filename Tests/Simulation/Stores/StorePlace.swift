import Storage
import TestSupport

/// Where the store of a server is. It outlives the server's processes.
protocol StorePlace: AnyObject {
    /// Opens the store for one of the server's bridges.
    func open(_ bridge: Int) async throws -> OpenedStore

    /// Prepares the store for the processes after a crash, or after a restore. No process has it open.
    func recover() throws

    /// Makes a backup, in place of the latest one.
    ///
    /// - Returns: Its name.
    func backUp(_ store: any StoreEngine) async throws -> String

    /// Replaces the contents by those of a backup. No process has the store open.
    func restore(_ backup: String) async throws

    /// Lets all connections to the engine through again.
    func reconnect()

    /// Removes what the place has outside of the world's folder.
    func remove() async throws
}

/// A store as one process has it open.
struct OpenedStore {
    let engine: any StoreEngine

    /// The connections to the engine; `nil` for files.
    var connections: PostgreSQLProxy?

    /// Ends the connections of all processes with the store.
    var cutAll: @Sendable () -> Void = {}

    /// Keeps what a crash at this moment leaves.
    var keepRemains: @Sendable () throws -> Void = {}
}

/// The engine of the bridge's store.
enum EngineKind: String, Sendable {
    /// One bridge, with a folder.
    case sqlite

    /// Two bridges, with one schema.
    case postgresql

    /// The number of bridges.
    var bridges: Int { self == .sqlite ? 1 : 2 }
}
