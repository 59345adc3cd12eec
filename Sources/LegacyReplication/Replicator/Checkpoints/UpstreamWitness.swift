import Documents
import Gateway
import Storage

/// Notices that the legacy upstream was restored from a backup, before a push relies on what upstream's feed has shown.
///
/// The pull's checkpoint tells, for upstream's half of it went back with everything else. So the pull leaves word under which name it is kept. What
/// upstream has shown behind the place that both halves agree about counts no longer: upstream may have lost it, and gives these sequences to other
/// changes.
struct UpstreamWitness: Sendable {
    private static let name = "upstream"

    let keyspace: Keyspace

    /// Upstream's URL, without credentials.
    let source: String

    /// Says which checkpoint is that of the pull.
    func leaveWord(_ checkpoint: CheckpointID) async throws {
        let current = try await keyspace.localDocument(.replicator, id: Self.name)
        var body: [UInt8] = []
        JSONValue.object([JSONMember("source", .string(source)), JSONMember("checkpoint", .string(checkpoint.text))]).append(to: &body)
        guard current?.body != body else { return }
        do {
            _ = try await keyspace.setLocalDocument(.replicator, id: Self.name, body: body, expected: current.map { "0-\($0.revision)" })
        } catch let error as GatewayError where error.code == .conflict || error.code == .notFound {
            // Another replication was quicker, and says the same or is the one that counts.
            return
        }
    }

    /// Compares both halves of the pull's checkpoint, and forgets what upstream may have lost.
    func look(at remote: RemoteDatabase) async throws {
        guard let word = try await keyspace.localDocument(.replicator, id: Self.name).flatMap({ try? JSONValue($0.body) }),
            word["source"]?.string == source, let id = word["checkpoint"]?.string,
            let here = try await CheckpointKeeper.local(id, in: keyspace)
        else { return }
        let there: String?
        do {
            there = try await CheckpointKeeper.remoteHalf(id, of: remote).lastSequence
        } catch let error as ReplicationError where error.code == .forbidden || error.code == .upstream {
            // It cannot be told; the pull goes on without it as well.
            return
        }
        let agreed = here.reconciled(with: there)
        guard agreed != here.lastSequence else { return }
        try await keyspace.beginUpstreamFeed(of: source, since: agreed.map { UpstreamSequence($0) })
    }
}
