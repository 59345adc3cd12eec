import Documents

/// A device: a local database and a replicator of its generation, as the other side sees them.
protocol SimulatedClient: AnyObject {
    var name: String { get }
    var generation: Generation { get }

    /// The keyspaces that it replicates with: `scope.collection`, or an empty name for the unified keyspace.
    var keyspaces: [String] { get }

    /// Its documents, tombstones included.
    var holdings: [Place: Holding] { get }

    /// Documents with changes that the server may never get: conflicts that the client has not resolved.
    var unsent: Set<Place> { get }

    /// Documents from before the app had collections, edited since or not.
    var inherited: Set<Place> { get }

    /// The original states of inherited documents. The device is not notified of documents that have moved elsewhere, and keeps them.
    var former: Set<Place> { get }

    /// Whether the name of its checkpoint shows the server an earlier connection of the app in its present form, or its documents are its own. An app
    /// that gains collections and another checkpoint name at once is unknown.
    var isRecognized: Bool { get }

    /// Whether the server has got the app's documents from before it had collections. An edit alone does not show the origin of a document.
    var hasBeenSeen: Bool { get }

    /// Changes a document of the device.
    ///
    /// - Returns: The new revision; `nil` if there was nothing to do.
    func edit(_ edit: Edit, _ subject: Subject, ledger: Ledger) throws -> String?

    /// Pushes, pulls, or both, once.
    ///
    /// - Throws: ``Disconnected``; ``UnexpectedMessage``.
    func replicate(_ direction: Direction, over line: Line) async throws

    /// Discards its checkpoints, as an app does after a reset.
    func forgetCheckpoints()

    /// Replicates with the same server under another URL from now on: with new checkpoints, and without knowledge of the server's revisions.
    func changeURL()

    /// A client with a copy of the database, which develops independently.
    ///
    /// - Parameters:
    ///   - name: The device that gets the copy; `nil` for a backup of this device.
    ///   - number: Distinguishes the copies of this device.
    func copy(for name: String?, number: Int) throws -> any SimulatedClient
}

extension SimulatedClient {
    /// Whether it is a 1.x client, which keeps all branches of a document.
    var speaksLegacyProtocol: Bool { generation == .first }

    var inherited: Set<Place> { [] }

    var former: Set<Place> { [] }

    var isRecognized: Bool { true }

    var hasBeenSeen: Bool { true }
}

/// The direction of a replication.
enum Direction: String, Sendable, CaseIterable {
    case both, push, pull

    var pushes: Bool { self != .pull }
    var pulls: Bool { self != .push }
}

/// The other side sent a message that real clients cannot handle.
struct UnexpectedMessage: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
