import Documents

/// A device: a local database and a replicator of its generation, as far as the other side can tell.
protocol SimulatedClient: AnyObject {
    var name: String { get }

    /// The keyspaces that it replicates with: `scope.collection`, or an empty name for the unified one.
    var keyspaces: [String] { get }

    /// Whether it is one of 1.x, which keeps all branches of a document.
    var speaksLegacyProtocol: Bool { get }

    /// What it holds, tombstones included.
    var holdings: [Place: Holding] { get }

    /// Changes a document of its own.
    ///
    /// - Returns: What became of it; `nil` if there was nothing to do.
    func edit(_ edit: Edit, _ subject: Subject, ledger: Ledger) throws -> RevisionID?

    /// Pushes, pulls, or both, once.
    ///
    /// - Throws: ``Disconnected``; ``Surprise``.
    func replicate(_ direction: Direction, over line: Line) async throws

    /// Forgets how far it has come, as an application does that is reset.
    func forgetCheckpoints()
}

/// Which way a replication goes.
enum Direction: String, Sendable, CaseIterable {
    case both, push, pull
}

/// The other side said something that no client expects of it.
struct Surprise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
