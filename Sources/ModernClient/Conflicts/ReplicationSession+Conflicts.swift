import Documents
import Gateway
import ModernProtocol
import Storage

extension ReplicationSession {
    /// How often a conflict is resolved anew because the document changed meanwhile.
    private static var resolutionTries: Int { 5 }

    /// A document as it is here, beside the server's revision.
    private struct Situation: Sendable {
        let winner: RevisionID
        let isDeleted: Bool
        let body: StoredBody?
        let sequence: Int64

        /// Whether what is here is the server's revision or builds on it.
        let isConnected: Bool

        /// Whether the server's revision is a tombstone that ends a branch here, while another one lives.
        let isClosedHere: Bool

        /// Whether the server's revision was written over the content of what is here, which is a copy of what the server had.
        let isOvertaken: Bool

        /// Whether what is here was written over the content of the server's revision, which is a copy of what was here.
        let isNewer: Bool

        /// Whether the server has refused what is here, so that it waits to be sent again.
        let isParked: Bool

        /// What the server may call what is here, and its version if it has one.
        let names: [RevisionName]
        let version: VersionVector?
    }

    /// Brings a revision in that is in conflict with what is here.
    func resolve(_ pulled: PulledRevision, _ collection: CollectionReplication) async throws {
        do {
            let (remote, history) = try await branch(of: pulled, collection)
            try await resolve(remote, history, collection)
        } catch let error as ConflictFailure {
            // It stays as it is here.
            collection.push?.forget(pulled.name, of: pulled.write.id)
            tellPulled(pulled.write.id, [], error.error, collection)
            return leave(pulled, RequestError(.conflict, error.error.message), error.error, collection)
        }
        _ = reexamine(pulled, collection)
        try await noteFollowed([(pulled.write.id, pulled.name)], collection)
        tellPulled(pulled.write.id, pulled.write.isDeleted ? .deleted : [], nil, collection)
        note(.pull, pulled.write.id, pulled.name.description, nil, collection)
        settle(pulled, nil, collection)
    }

    /// Resolves a conflict with a revision of the server's that is here already.
    ///
    /// - Returns: Whether it could be.
    func resolve(_ change: LocalChange, with remote: RevisionID, _ collection: CollectionReplication) async throws -> Bool {
        do {
            try await resolve(change.id, with: remote, collection)
            collection.resolutions += 1
            return true
        } catch let error as ConflictFailure {
            tellPulled(change.id, [], error.error, collection)
            note(.push, change.id, change.revision.text, error.error, collection)
            return false
        }
    }

    /// Writes what has won here once more, so that it can follow the server's revision, whose branch was closed for it.
    ///
    /// - Returns: Whether it could be.
    func raise(_ change: LocalChange, above remote: RevisionID, _ collection: CollectionReplication) async throws -> Bool {
        do {
            guard let winner = try await collection.keyspace.read({ try $0.document(change.id)?.winner }) else { return true }
            _ = try await collection.keyspace.raise(winner, above: remote.generation, of: change.id)
            collection.resolutions += 1
            return true
        } catch let error as GatewayError where error.code != .unavailable {
            note(.push, change.id, change.revision.text, ReplicatorError(local: error), collection)
            return false
        }
    }

    /// Resolves a conflict with a revision of the server's that is here already, as a branch.
    ///
    /// - Throws: ``ConflictFailure``; what the store throws.
    func resolve(_ id: String, with remote: RevisionID, _ collection: CollectionReplication) async throws {
        let content = try await collection.keyspace.read { snapshot -> RevisionContent? in
            guard let document = try snapshot.document(id, followingMoves: true), let node = document.tree.lookup(modern: remote) else {
                return nil
            }
            return try document.content(of: node.id)
        }
        // Without its body there is nothing to choose from.
        guard let content else { return }
        let write = RevisionWrite(
            id: id, kind: .replicated(history: content.history, conflicts: .accept), isDeleted: content.isDeleted,
            body: content.body.properties, attachments: try content.body.attachments.map { try AttachmentSet($0) })
        try await resolve(write, content.history, collection)
    }

    /// A revision that the server knows by a version, as a branch of the tree. The server's own IDs are used if it has told them. Otherwise the revision
    /// stands beside the one here.
    private func branch(of pulled: PulledRevision, _ collection: CollectionReplication) async throws -> (RevisionWrite, [RevisionID]) {
        guard let version = pulled.version, case .versioned(let made) = pulled.write.kind else { return (pulled.write, pulled.history) }
        let id = pulled.write.id
        // A revision has its version before it is compared with another one.
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
        throw ConflictFailure(error: ReplicatorError(.conflict, "\(remote.id) changes too quickly here for its conflict to be resolved"))
    }

    /// What is to be written; `nil` if there is no conflict any more.
    private func outcome(_ remote: RevisionWrite, _ history: [RevisionID], _ collection: CollectionReplication) async throws
        -> ConflictOutcome?
    {
        let keyspace = collection.keyspace
        let revision = history[0]
        // What was refused just now is looked up, too.
        if collection.hasParked { try await park(collection) }
        let parking = collection.hasParked ? plan.parking : nil
        let situation: Situation? = try await keyspace.read { snapshot in
            guard let document = try snapshot.document(remote.id, followingMoves: true) else { return nil }
            let tree = document.tree
            let node = tree.lookup(modern: revision)
            // A document that is deleted has no live branch, the server's included: it is deleted on both sides, or will be when the
            // tombstone on the server's branch has been pushed.
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
        // The server's version takes in what is here; only the trees differ.
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
            // The server has switched branches. Its losing ones stay here as they stay there, unless they would win here.
            let winsByItself = !remote.isDeleted && (situation.isDeleted || situation.winner < revision)
            return winsByItself
                ? .taking(remote, history, beside: situation.version)
                : try ConflictOutcome(.remote, of: conflict, remote: remote, history: history, beside: situation.version)
        }
        // The tombstone ends a branch here, too, beside which the document was edited: whoever resolves a conflict of branches closes those that lose.
        // It deletes that branch, and not the document.
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

/// Why a conflict stays unresolved.
struct ConflictFailure: Error {
    let error: ReplicatorError
}
