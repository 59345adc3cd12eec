import Documents
import Gateway
import Logging
import NIOHTTP1
import Storage

/// Loads and saves both halves of one replication's checkpoint.
actor CheckpointKeeper {
    /// How often a checkpoint that somebody else has changed is read and written again.
    private static let tries = 3

    private let id: String
    private let keyspace: Keyspace
    private let remote: RemoteDatabase

    /// Where the revisions are that the server has refused; `nil` for a pull.
    private let parking: Parking?
    private let logger: Logger
    private var remoteHalf = RemoteCheckpoint()
    private var saved: String?

    /// Places behind the start of which nothing is to be offered.
    private(set) var passed: Set<Int64> = []

    /// What is to be saved next.
    private var pending: String?
    private var saving: Task<Void, Never>?

    init(id: CheckpointID, keyspace: Keyspace, remote: RemoteDatabase, parking: Parking? = nil, logger: Logger) {
        self.id = id.text
        self.keyspace = keyspace
        self.remote = remote
        self.parking = parking
        self.logger = logger
    }

    /// Where the replication goes on; `nil` for the start.
    ///
    /// - Parameter initial: The local half of the replicator in whose place this one was put.
    func load(initial: String?) async throws -> String? {
        let kept = try await Self.local(id, in: keyspace)
        try await loadRemoteHalf()
        let local = kept ?? initial.map { LocalCheckpoint(lastSequence: $0) }
        saved = local?.reconciled(with: remoteHalf.lastSequence)
        if let parking, let agreed = saved.flatMap({ Int64($0) }), !remoteHalf.refused.isEmpty {
            let again = RefusedPlaces(before: remoteHalf.refused, now: try await parking.refusedSequences(in: keyspace), upTo: agreed)
            saved = again.start.map { String($0) } ?? saved
            passed = again.passed
        }
        return saved
    }

    static func local(_ id: String, in keyspace: Keyspace) async throws -> LocalCheckpoint? {
        try await keyspace.localDocument(.replicator, id: id).flatMap { LocalCheckpoint($0.body) }
    }

    /// How far a replication has come by the half that is kept here.
    static func saved(_ id: CheckpointID, in keyspace: Keyspace) async throws -> String? {
        try await local(id.text, in: keyspace)?.lastSequence
    }

    /// The server's half of a checkpoint; an empty one if it has none.
    static func remoteHalf(_ id: String, of remote: RemoteDatabase) async throws -> RemoteCheckpoint {
        do {
            return try RemoteCheckpoint(try await remote.json(RemoteRequest("_local/\(id)")))
        } catch let error as ReplicationError where error.code == .notFound {
            return RemoteCheckpoint()
        }
    }

    private func loadRemoteHalf() async throws {
        do {
            remoteHalf = try await Self.remoteHalf(id, of: remote)
        } catch let error as ReplicationError where error.code == .forbidden || error.code == .upstream {
            // The replication goes on without the server's half, as Couchbase Lite's does.
            logger.warning("the server's checkpoint cannot be read", metadata: ["error": "\(error)"])
            remoteHalf = RemoteCheckpoint()
        }
    }

    /// Notes how far everything has been dealt with.
    func advance(to sequence: String) {
        if sequence != saved { pending = sequence }
    }

    /// Saves what has changed, even if the caller's task is cancelled. What goes wrong costs rows when the replication begins anew, and no
    /// bodies; it is logged.
    func save() async {
        while let saving { await saving.value }
        guard let sequence = pending else { return }
        pending = nil
        let task = Task { await self.save(sequence) }
        saving = task
        await task.value
    }

    private func save(_ sequence: String) async {
        do {
            try await saveLocalHalf(LocalCheckpoint(lastSequence: sequence, previous: saved))
            try await saveRemoteHalf(sequence)
            saved = sequence
        } catch {
            logger.warning("a checkpoint cannot be saved", metadata: ["error": "\(error)"])
            pending = pending ?? sequence
        }
        saving = nil
    }

    private func saveLocalHalf(_ checkpoint: LocalCheckpoint) async throws {
        while true {
            let current = try await keyspace.localDocument(.replicator, id: id)
            do {
                _ = try await keyspace.setLocalDocument(
                    .replicator, id: id, body: checkpoint.json, expected: current.map { "0-\($0.revision)" })
                return
            } catch let error as GatewayError where error.code == .conflict || error.code == .notFound {
                // Another replication of the same name was quicker.
                continue
            }
        }
    }

    private func saveRemoteHalf(_ sequence: String) async throws {
        for _ in 0..<Self.tries {
            do {
                let refused = try await parking?.refusedSequences(in: keyspace) ?? []
                var request = RemoteRequest("_local/\(id)", method: .PUT, json: remoteHalf.saving(sequence, refused: refused))
                request.isCompressible = false
                let answer = try JSONValue(try await remote.json(request))
                remoteHalf.revision = answer["rev"]?.string ?? remoteHalf.revision
                return
            } catch let error as ReplicationError where error.code == .conflict {
                try await loadRemoteHalf()
            } catch let error as ReplicationError where error.code == .notFound {
                remoteHalf.revision = nil
            }
        }
        throw ReplicationError(.conflict, "The server's checkpoint \(id) is changed by somebody else all the time")
    }

    /// Forgets the half that is kept here, so that the next run begins at the start.
    static func reset(_ id: CheckpointID, in keyspace: Keyspace) async throws {
        while let current = try await keyspace.localDocument(.replicator, id: id.text) {
            do {
                _ = try await keyspace.setLocalDocument(.replicator, id: id.text, body: nil, expected: "0-\(current.revision)")
            } catch let error as GatewayError where error.code == .conflict || error.code == .notFound {
                continue
            }
        }
    }
}
