import Documents
import Gateway
import Storage

/// Notices that the legacy upstream was restored from a backup, before a push relies on what upstream's feed has shown.
///
/// The pull's checkpoint tells, for upstream's half of it went back with everything else. So the pull leaves word under which name it is kept. What
/// upstream has shown behind the place that both halves agree about counts no longer: upstream may have lost it, and gives these sequences to other
/// changes. The word also counts how often that was found, by the pull or by the push: a push that was not told yet begins at the start.
struct UpstreamRestorationDetector: Sendable {
    private static let name = "upstream"

    /// How often the pull's checkpoint is read again because the pull is saving it meanwhile.
    private static let tries = 5

    let keyspace: Keyspace

    /// Upstream's URL, without credentials.
    let source: String

    /// What the pull has left.
    private struct Word {
        var checkpoint: String
        var restorations: Int64 = 0
        /// The revision of the document that it stands in; `nil` if it is not there.
        var revision: String?
    }

    /// Says which checkpoint is that of the pull.
    func recordPullCheckpoint(_ checkpoint: CheckpointID) async throws {
        try await change { $0.checkpoint = checkpoint.text }
    }

    /// How often upstream was found restored.
    var restorations: Int64 {
        get async throws { try await word?.restorations ?? 0 }
    }

    /// What upstream has shown behind a place counts no longer, and a push begins at the start.
    ///
    /// - Parameter place: Up to where upstream has kept everything; `nil` for nothing.
    func noteRestoration(behind place: String?) async throws {
        // First, so that a push which is told has nothing to rely on.
        try await keyspace.beginUpstreamFeed(of: source, since: place.map { UpstreamSequence($0) })
        try await change { $0.restorations += 1 }
    }

    /// Compares both halves of the pull's checkpoint, and forgets what upstream may have lost.
    ///
    /// - Parameters:
    ///   - identity: What the server said of the database a moment ago.
    ///   - again: Asks it anew.
    /// - Returns: Why upstream has lost something, in words; `nil` if it has not.
    func look(
        at remote: RemoteDatabase, _ identity: RemoteIdentity, again: @Sendable () async throws -> RemoteIdentity
    ) async throws -> String? {
        guard let (id, here, there) = try await checkpoint(remote) else { return nil }
        var identity = identity
        if let reached = identity.reached, let read = SequenceOrder.number(here.lastSequence), read > reached {
            // The pull may have got on since the server was asked.
            identity = try await again()
        }
        let comparison = ServerComparison(
            known: here, there: there, server: here.server, identity: identity, read: here.lastSequence)
        if case .restored(let place, let why) = comparison.finding {
            try await noteRestoration(behind: place)
            // Last, so that this is found again if it could not be carried out.
            try await CheckpointKeeper.setLocal(place.map { LocalCheckpoint(agreed: $0) }, id, in: keyspace)
            return why
        }
        if let there {
            let agreed = here.reconciled(with: there.lastSequence)
            if agreed != here.lastSequence {
                try await keyspace.beginUpstreamFeed(of: source, since: agreed.map { UpstreamSequence($0) })
            }
        }
        return nil
    }

    /// What upstream's feed has shown and the pull has not saved yet counts no longer, and a push begins at the start.
    func noteRestorationUnsaved() async throws {
        guard let word = try await word else { return }
        let here = try await CheckpointKeeper.local(word.checkpoint, in: keyspace)
        try await noteRestoration(behind: here?.lastSequence)
    }

    /// What upstream's feed has shown and the pull has not saved yet counts no longer, for a push that goes back no further than that.
    func forgetUnsaved() async throws {
        guard let word = try await word else { return }
        let here = try await CheckpointKeeper.local(word.checkpoint, in: keyspace)
        try await keyspace.beginUpstreamFeed(of: source, since: here.map { UpstreamSequence($0.lastSequence) })
    }

    /// Both halves of the pull's checkpoint as they are at the same time; `nil` if there is none. The server's is `nil` if it cannot be read.
    private func checkpoint(_ remote: RemoteDatabase) async throws -> (id: String, here: LocalCheckpoint, there: RemoteCheckpoint?)? {
        guard let id = try await word?.checkpoint, !id.isEmpty, var here = try await CheckpointKeeper.local(id, in: keyspace) else {
            return nil
        }
        for _ in 0..<Self.tries {
            let there: RemoteCheckpoint?
            do {
                there = try await CheckpointKeeper.remoteHalf(id, of: remote)
            } catch let error as ReplicationError where error.isUnreadableCheckpoint {
                there = nil
            }
            guard let now = try await CheckpointKeeper.local(id, in: keyspace) else { return nil }
            if now == here { return (id, here, there) }
            here = now
        }
        // The pull gets on all the time, so upstream has what it had.
        return nil
    }

    private var word: Word? {
        get async throws {
            guard let current = try await keyspace.localDocument(.replicator, id: Self.name), let value = try? JSONValue(current.body),
                value["source"]?.string == source, let checkpoint = value["checkpoint"]?.string
            else { return nil }
            let count = value["restorations"]?.int ?? 0
            return Word(checkpoint: checkpoint, restorations: Int64(count), revision: "0-\(current.revision)")
        }
    }

    /// Changes the word; another source's gives way.
    private func change(_ change: (inout Word) -> Void) async throws {
        while true {
            let current = try await keyspace.localDocument(.replicator, id: Self.name)
            var word = try await self.word ?? Word(checkpoint: "")
            guard word.revision == nil || word.revision == current.map({ "0-\($0.revision)" }) else { continue }
            change(&word)
            var body: [UInt8] = []
            JSONValue.object([
                JSONMember("source", .string(source)), JSONMember("checkpoint", .string(word.checkpoint)),
                JSONMember("restorations", .number(String(word.restorations))),
            ]).append(to: &body)
            guard current?.body != body else { return }
            do {
                _ = try await keyspace.setLocalDocument(
                    .replicator, id: Self.name, body: body, expected: current.map { "0-\($0.revision)" })
                return
            } catch let error as GatewayError where error.code == .conflict || error.code == .notFound {
                // The other half of the replication was quicker.
                continue
            }
        }
    }
}
