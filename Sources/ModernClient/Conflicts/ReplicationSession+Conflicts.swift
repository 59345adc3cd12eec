import Documents
import Gateway
import ModernProtocol
import Storage

extension ReplicationSession {
    /// The maximum number of attempts to resolve a conflict whose document changes meanwhile.
    private static var resolutionTries: Int { 5 }

    /// The local state of a document, relative to the server's revision.
    private struct Situation: Sendable {
        let winner: RevisionID
        let isDeleted: Bool
        let body: StoredBody?
        let sequence: Int64

        /// Whether the local winner is the server's revision or descends from it.
        let isConnected: Bool

        /// Whether the server's revision is a tombstone that ends a local branch while another local branch is live.
        let isClosedHere: Bool

        /// Whether the server's revision was written over the content of the local winner, which is a copy of a server revision.
        let isOvertaken: Bool

        /// Whether the local winner was written over the content of the server's revision, which is a copy of a local revision.
        let isNewer: Bool

        /// Whether the server has refused the local winner, so that it waits to be sent again.
        let isParked: Bool

        /// The names that the server may have for the local winner, and its version if it has one.
        let names: [RevisionName]
        let version: VersionVector?
    }

    /// Resolves the conflict of a pulled revision with the local winner, and stores the result.
    func resolve(_ pulled: ReceivedRev, _ collection: CollectionReplication) async throws {
        do {
            let (remote, history) = try await branch(of: pulled, collection)
            try await resolve(remote, history, collection)
        } catch let error as ConflictFailure {
            // The local document remains unchanged.
            collection.push?.forget(pulled.name, of: pulled.write.id)
            reportPulled(pulled.write.id, [], error.error, collection)
            return postpone(pulled, BLIPRequestError(.conflict, error.error.message), error.error, collection)
        }
        _ = reexamine(pulled, collection)
        try await recordFollowed([(pulled.write.id, pulled.name)], collection)
        reportPulled(pulled.write.id, pulled.write.isDeleted ? .deleted : [], nil, collection)
        recordOutcome(.pull, pulled.write.id, pulled.name.description, nil, collection)
        finishRow(pulled, nil, collection)
    }

    /// Resolves a conflict with a revision of the server that is already stored.
    /// - Returns: Whether the conflict was resolved.
    func resolve(_ change: LocalChange, with remote: RevisionID, _ collection: CollectionReplication) async throws -> Bool {
        do {
            try await resolve(change.id, with: remote, collection)
            collection.resolutions += 1
            return true
        } catch let error as ConflictFailure {
            reportPulled(change.id, [], error.error, collection)
            recordOutcome(.push, change.id, change.revision.text, error.error, collection)
            return false
        }
    }

    /// Writes the local winner again with a higher generation, so that it can descend from the server's revision, whose branch was closed
    /// in its favour.
    /// - Returns: Whether the revision was written.
    func raise(_ change: LocalChange, above remote: RevisionID, _ collection: CollectionReplication) async throws -> Bool {
        do {
            guard let winner = try await collection.keyspace.read({ try $0.document(change.id)?.winner }) else { return true }
            _ = try await collection.keyspace.raise(winner, above: remote.generation, of: change.id)
            collection.resolutions += 1
            return true
        } catch let error as GatewayError where error.code != .unavailable {
            recordOutcome(.push, change.id, change.revision.text, ReplicatorError(local: error), collection)
            return false
        }
    }

    /// Resolves a conflict with a revision of the server that is already stored as a branch.
    /// - Throws: ``ConflictFailure``; errors of the store.
    func resolve(_ id: String, with remote: RevisionID, _ collection: CollectionReplication) async throws {
        let content = try await collection.keyspace.read { snapshot -> RevisionContent? in
            guard let document = try snapshot.document(id, followingMoves: true), let node = document.tree.lookup(modern: remote) else {
                return nil
            }
            return try document.content(of: node.id)
        }
        // Without the revision's body there is nothing to resolve.
        guard let content else { return }
        let write = RevisionWrite(
            id: id, kind: .replicated(history: content.history, conflicts: .accept), isDeleted: content.isDeleted,
            body: content.body.properties, attachments: try content.body.attachments.map { try AttachmentSet($0) })
        try await resolve(write, content.history, collection)
    }

    /// Converts a revision that the server names by a version into a branch of the tree. The server's own tree IDs are used if it has sent
    /// them. Otherwise the revision becomes a sibling of the local winner.
    private func branch(of pulled: ReceivedRev, _ collection: CollectionReplication) async throws -> (RevisionWrite, [RevisionID]) {
        guard let version = pulled.version, case .versioned(let made) = pulled.write.kind else { return (pulled.write, pulled.history) }
        let id = pulled.write.id
        // Both revisions need versions before they are compared.
        if let key = try await collection.keyspace.read({ try $0.document(id, followingMoves: true)?.record.key }) {
            try await collection.keyspace.assignVersions(to: [key])
        }
        var history = made.tree
        if history.isEmpty {
            let parents = try await collection.keyspace.read { snapshot in
                try snapshot.document(id, followingMoves: true).map { Array($0.tree.history(of: $0.winner).dropFirst()) } ?? []
            }
            history = [try RevisionDigest.version(parent: parents.first, version: version.current)] + parents
        }
        var write = pulled.write
        write.kind = .replicated(history: history, conflicts: .refuse)
        write.version = VersionRecord(revision: history[0], vector: version)
        return (write, history)
    }

    private func resolve(_ remote: RevisionWrite, _ history: [RevisionID], _ collection: CollectionReplication) async throws {
        for _ in 0..<Self.resolutionTries {
            guard let outcome = try await outcome(remote, history, collection) else { return }
            for result in try await collection.keyspace.write(outcome.writes) {
                guard case .failure(let error) = result else { continue }
                throw ConflictFailure(error: ReplicatorError(local: error))
            }
        }
        throw ConflictFailure(
            error: ReplicatorError(.conflict, "\(remote.id) changes too often in the local database to resolve its conflict"))
    }

    /// The revisions to write; `nil` if there is no conflict.
    private func outcome(_ remote: RevisionWrite, _ history: [RevisionID], _ collection: CollectionReplication) async throws
        -> ConflictOutcome?
    {
        let keyspace = collection.keyspace
        let revision = history[0]
        // Refusals that were just recorded have to be in the list.
        if collection.hasParked { try await park(collection) }
        let parking = collection.hasParked ? plan.parking : nil
        let situation: Situation? = try await keyspace.read { snapshot in
            guard let document = try snapshot.document(remote.id, followingMoves: true) else { return nil }
            let tree = document.tree
            let node = tree.lookup(modern: revision)
            // A deleted document has no live branch, the server's included: it is deleted on both sides, or will be when the tombstone of
            // the server's branch has been pushed.
            let isConnected = node.map { document.isDeleted || tree.takesIn($0.id, by: document.winner) } ?? false
            let names = history.map { tree.lookup(modern: $0)?.id ?? $0 }
            return Situation(
                winner: document.winner, isDeleted: document.isDeleted, body: try document.content(of: document.winner)?.body,
                sequence: document.localSequence(in: keyspace), isConnected: isConnected,
                isClosedHere: remote.isDeleted && node != nil && !document.isDeleted,
                isOvertaken: node == nil && tree.builds(names, on: document.winner),
                isNewer: node.map { tree.goesOn(document.winner, from: $0.id) } ?? false,
                isParked: try parking?.holdsPush(of: remote.id, document.winner.modernAlias.text, in: snapshot) ?? false,
                names: try snapshot.names(of: document) + [.tree(document.winner.modernAlias)],
                version: try snapshot.version(of: document))
        }
        guard let situation else { return .taking(remote, history, beside: nil) }
        if situation.isConnected { return nil }
        let isBuiltOn = history.contains { $0 == situation.winner.modernAlias || $0 == situation.winner }
        if isBuiltOn || (remote.isDeleted && situation.isDeleted) { return .taking(remote, history, beside: situation.version) }
        let local = Conflict.Side(
            revision: situation.winner, isDeleted: situation.isDeleted, body: situation.body?.properties ?? Array("{}".utf8),
            attachments: situation.body?.attachments, version: situation.version?.current)
        let conflict = Conflict(
            documentID: remote.id, local: local,
            remote: Conflict.Side(
                revision: revision, isDeleted: remote.isDeleted, body: remote.body, attachments: remote.attachments?.stubs(),
                version: remote.version?.vector.current))
        // The server's version covers the local one; only the trees differ.
        if let here = situation.version, remote.version?.vector.contains(here.current) == true {
            return try ConflictOutcome(.remote, of: conflict, remote: remote, history: history, beside: here)
        }
        if situation.isOvertaken {
            return try ConflictOutcome(.remote, of: conflict, remote: remote, history: history, beside: situation.version)
        }
        if situation.isNewer {
            return try ConflictOutcome(.local, of: conflict, remote: remote, history: history, beside: situation.version)
        }
        let isEdited =
            collection.push?.hasUnpushedEdits(remote.id, sequence: situation.sequence, names: situation.names)
            ?? !collection.followed.contains(situation.sequence)
        guard isEdited || situation.isParked else {
            // The server's winner is on another branch. The server's losing branches are retained, as on the server, unless they would win
            // here.
            let winsByItself = !remote.isDeleted && (situation.isDeleted || situation.winner < revision)
            return winsByItself
                ? .taking(remote, history, beside: situation.version)
                : try ConflictOutcome(.remote, of: conflict, remote: remote, history: history, beside: situation.version)
        }
        // The tombstone ends a local branch beside which the document was edited: resolving a conflict of branches closes the losing
        // branches. It deletes that branch, not the document.
        if situation.isClosedHere {
            return try ConflictOutcome(.local, of: conflict, remote: remote, history: history, beside: situation.version)
        }
        do {
            let resolution = try await collection.configuration.conflictResolver.resolve(conflict)
            return try ConflictOutcome(resolution, of: conflict, remote: remote, history: history, beside: situation.version)
        } catch {
            throw ConflictFailure(error: ReplicatorError(.conflict, "The conflict of \(remote.id) cannot be resolved", cause: error))
        }
    }
}

/// The reason why a conflict remains unresolved.
struct ConflictFailure: Error {
    let error: ReplicatorError
}
