import Documents
import Gateway
import Storage

/// What a client keeps here to know how far it has come. Its body is the client's own affair.
struct Checkpoint: Sendable {
    /// `0-n`, as Sync Gateway counts.
    let revision: String
    let body: [UInt8]

    static func read(_ id: String, from keyspace: Keyspace) async throws -> Checkpoint? {
        try await keyspace.localDocument(.checkpoint, id: id).map { Checkpoint(revision: "0-\($0.revision)", body: $0.body) }
    }
}
