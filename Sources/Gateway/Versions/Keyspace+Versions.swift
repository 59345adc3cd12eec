import Access
public import Documents
public import Storage

extension Keyspace {
    /// The versions under which rows of the changes feed are shown to 4.x clients. What has none yet gets one, and it is durable when this returns.
    ///
    /// - Returns: `nil` for a row whose document has changed since: the feed comes to it again.
    public func versions(of rows: [ChangeRow]) async throws -> [VersionVector?] {
        guard !rows.isEmpty else { return [] }
        var versions = try await store.read(as: share) { snapshot in
            let isRestored = try snapshot.restored(before: SequenceNumber(.max)) != nil
            return try rows.map { row in
                guard let key = row.document,
                    let version = try isRestored ? snapshot.document(key).flatMap(snapshot.lastVersion) : snapshot.version(of: key)
                else { return VersionVector?.none }
                // The name of what has only left tells nothing; a tombstone that has left the reader's channels is a revision like others.
                return row.isRemoval && !row.isDeleted || version.revision.text == row.revision ? version.vector : nil
            }
        }
        let missing = rows.indices.filter { versions[$0] == nil }
        guard !missing.isEmpty else { return versions }
        let assigned = try await store.write { transaction in
            let keeper = VersionAssigner(transaction, in: database)
            return try missing.map { index in
                let row = rows[index]
                guard let document = try row.document.flatMap({ try transaction.document($0) }),
                    row.isRemoval && !row.isDeleted || document.winner.text == row.revision
                else { return VersionVector?.none }
                return try keeper.version(of: document)
            }
        }
        for (index, version) in zip(missing, assigned) { versions[index] = version }
        return versions
    }

    /// Which of these revisions are wanted, by the rules of ``VersionedDocument``. A version of ours that was lost with a restored backup is asked for.
    ///
    /// - Parameters:
    ///   - copy: Where the client has them, if it has told who it is.
    ///   - hasTree: Whether the client's database has revision trees, and not been upgraded. One that has must not hear that a revision of a tree
    ///     is known here: it would forget what the next version has to follow (LiteCore 4.1, VectorRecord.cc). It is told to pull the version
    ///     instead.
    ///   - isFirst: Whether the client has no checkpoint here and has not pulled, so that it may come for the first time, upgraded. Where it names
    ///     no version of ours, what it has may still follow what is here, by an ID in the tree that it remembers and does not tell: the history
    ///     that comes with the revision does, so a version is wanted. Of what is in the way of a revision of a tree it is told the ID in the tree,
    ///     which it compares with what it remembers (LiteCore 4.1, `shouldRetryConflictWithNewerAncestor`). Otherwise what was edited before the
    ///     database came here would never be pushed. Who has been here compares versions, though he may not name one: his checkpoint may not be
    ///     ours.
    public func answer(_ proposals: [VersionProposal], copy: ClientDatabase?, hasTree: Bool, isFirst: Bool = false) async throws
        -> [VersionAnswer]
    {
        try await recordDevice()
        let keyspace = self
        let verdicts = try await readEach(proposals) {
            try keyspace.verdict(on: $0, of: copy, in: $1, hasTree: hasTree, isFirst: isFirst)
        }
        let named = verdicts.compactMap(\.named)
        let versions = named.isEmpty ? [:] : try await currentVersions(of: Set(named))
        return verdicts.map { verdict in
            switch verdict {
            case .wanted, .lost: .wanted
            case .known: .known
            // One that was purged meanwhile is no longer in the way.
            case .conflict(let key): versions[key].map { .conflict(current: .version($0.current)) } ?? .wanted
            case .treeConflict(let current): .conflict(current: .tree(current))
            }
        }
    }

    /// Remembers what a client's database has of documents from before it was upgraded: its own revision, as long as it names no versions, also where
    /// that is not known here, or was moved. Later the IDs that it names may be older ones, and count only where nothing is remembered.
    ///
    /// - Parameter revisions: documents, and what the client has of each, its own revision first.
    public func recordLegacyRevisions(_ revisions: [(id: String, known: [RevisionName])], copy: ClientDatabase) async throws {
        let keyspace = self
        try await store.write { transaction in
            for (id, known) in revisions {
                guard let last = known.lazy.compactMap(\.tree).first,
                    let key = try keyspace.locate(id, in: transaction, followingMoves: true)?.key
                else { continue }
                if !known.allSatisfy(\.isTree), try transaction.legacyRevision(of: key, client: copy.name) != nil { continue }
                try transaction.setLegacyRevision(last, of: key, client: copy.name)
            }
        }
    }

    private enum Verdict {
        case wanted
        case known
        /// A version that was lost with a restored backup. It is asked for because of the history that comes with it. The winner has a version before that,
        /// which takes it in.
        case lost(DocumentKey)
        case conflict(DocumentKey)
        /// With a database that has no versions: the winner's ID.
        case treeConflict(RevisionID)

        /// The document that has to have a version.
        var named: DocumentKey? {
            switch self {
            case .lost(let key), .conflict(let key): key
            case .wanted, .known, .treeConflict: nil
            }
        }
    }

    private func verdict(
        on proposal: VersionProposal, of copy: ClientDatabase?, in visibility: Visibility, hasTree: Bool, isFirst: Bool
    ) throws -> Verdict {
        guard let document = try visible(proposal.id, in: visibility), let key = document.key else { return .wanted }
        let versioned = VersionedDocument(document, version: try visibility.snapshot.lastVersion(of: document))
        var conflict = Verdict.conflict(key)
        let own = SourceID(try visibility.snapshot.uuid)
        // Who has a version of ours has been here, before a backup was restored: what was not written since gets the same one again.
        let isFirst = isFirst && !proposal.revision.isMade(by: own)
        if isFirst, !proposal.knowsVersion, versioned.isOfTree(own) {
            conflict = .treeConflict(document.winner.modernAlias)
        }
        switch proposal.revision {
        case .version(let vector):
            let verdict = versioned.verdict(on: vector, parent: proposal.parent)
            if verdict == .wanted { return .wanted }
            // What the client's database remembers from before an upgrade comes with the revision alone: also where it is refused.
            if case .tree? = proposal.parent, verdict == .conflict, copy != nil { return .wanted }
            guard proposal.parent == nil else { return verdict == .known ? .known : conflict }
            let isLost = try copy != nil && visibility.snapshot.hasLost(vector.current, of: document)
            guard isLost || verdict == .conflict else { return .known }
            let legacy = try copy.flatMap { try visibility.snapshot.legacyRevision(of: key, client: $0.name) }
            // The ID that the client's database remembers from before an upgrade may be lost as well. It comes with the revision alone.
            if isLost, legacy == nil { return .lost(key) }
            if verdict == .known { return .known }
            // LiteCore 4.1 may no longer find the parent of a document from before the upgrade. The revision's vector tells.
            let isEdit = !proposal.revision.isMade(by: own)
            return isFirst || legacy != nil || (copy != nil && isEdit) ? .wanted : conflict
        case .tree(let revision):
            let parent: RevisionID? = if case .tree(let parent)? = proposal.parent { parent } else { nil }
            switch answer(Proposal(id: proposal.id, revision: revision, parent: parent), about: document) {
            case .wanted: return .wanted
            case .known: return hasTree ? .known : .conflict(key)
            // The revision itself will tell whether it follows what has won: its history does, which is not told here. The client's pull may be over by now,
            // and has left out what the revision follows.
            case .conflict(let current) where !hasTree && proposal.parent == nil && revision.generation > current.generation:
                return .wanted
            case .conflict(let current): return hasTree ? .treeConflict(current) : conflict
            }
        }
    }

    /// Has versions stored for what has won of these documents, where it has none yet.
    public func assignVersions(to documents: Set<DocumentKey>) async throws {
        _ = try await currentVersions(of: documents)
    }

    private func currentVersions(of documents: Set<DocumentKey>) async throws -> [DocumentKey: VersionVector] {
        try await store.write { transaction in
            let keeper = VersionAssigner(transaction, in: database)
            var versions: [DocumentKey: VersionVector] = [:]
            for key in documents {
                guard let document = try transaction.document(key) else { continue }
                versions[key] = try keeper.version(of: document)
            }
            return versions
        }
    }
}
