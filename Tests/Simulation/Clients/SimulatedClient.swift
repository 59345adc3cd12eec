import Documents

/// A device: a local database and a replicator of its generation, as far as the other side can tell.
protocol SimulatedClient: AnyObject {
    var name: String { get }
    var generation: Generation { get }

    /// The keyspaces that it replicates with: `scope.collection`, or an empty name for the unified one.
    var keyspaces: [String] { get }

    /// What it holds, tombstones included.
    var holdings: [Place: Holding] { get }

    /// Documents with something that the server is not known to have, and may never be: what it waits to resolve.
    var unsettled: Set<Place> { get }

    /// Documents from before the app knew collections, whether edited since or not.
    var inherited: Set<Place> { get }

    /// Inherited documents as they were then. Where they live elsewhere by now, nobody tells the device, and they stay.
    var former: Set<Place> { get }

    /// Whether the server can know by the name of its checkpoint that it has been there as it is now, or what it has is its own. Whoever gains collections and
    /// gets another name at once is a stranger.
    var isRecognized: Bool { get }

    /// Whether the server has heard of what it had when it had no collections. An edit alone does not tell whose document it was.
    var hasBeenSeen: Bool { get }

    /// Changes a document of its own.
    ///
    /// - Returns: The revision that came of it; `nil` if there was nothing to do.
    func edit(_ edit: Edit, _ subject: Subject, ledger: Ledger) throws -> String?

    /// Pushes, pulls, or both, once.
    ///
    /// - Throws: ``Disconnected``; ``Surprise``.
    func replicate(_ direction: Direction, over line: Line) async throws

    /// Forgets how far it has come, as an application does that is reset.
    func forgetCheckpoints()

    /// Replicates with the same server under another URL from now on: with fresh checkpoints, and knowing nothing of what the server has.
    func changeURL()

    /// A client with the same database, from here on by itself.
    ///
    /// - Parameters:
    ///   - name: The device that gets a copy; `nil` for a backup of this one.
    ///   - number: Tells the copy from others that this device gets.
    func copy(for name: String?, number: Int) throws -> any SimulatedClient
}

extension SimulatedClient {
    /// Whether it is one of 1.x, which keeps all branches of a document.
    var speaksLegacyProtocol: Bool { generation == .first }

    var inherited: Set<Place> { [] }

    var former: Set<Place> { [] }

    var isRecognized: Bool { true }

    var hasBeenSeen: Bool { true }
}

/// Which way a replication goes.
enum Direction: String, Sendable, CaseIterable {
    case both, push, pull

    var pushes: Bool { self != .pull }
    var pulls: Bool { self != .push }
}

/// The other side said something that no client expects of it.
struct Surprise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
