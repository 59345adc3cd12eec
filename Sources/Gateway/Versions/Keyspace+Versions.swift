import Access
package import Documents
package import Storage

extension Keyspace {
    /// The versions of rows of the changes feed for 4.x clients. A document without a version gets one, which is durable on return.
    ///
    /// - Returns: `nil` for a row whose document has changed since: the feed has a later row for it.
    package func versions(of rows: [ChangeRow]) async throws -> [VersionVector?] {
        guard !rows.isEmpty else { return [] }
        var versions = try await store.read(as: share) { snapshot in
            try announceLookups(of: rows.map(\.id), to: snapshot, with: .versions)
            let isRestored = try snapshot.restored(before: SequenceNumber(.max)) != nil
            return try rows.map { row in
                guard let key = row.document,
                    let version = try isRestored ? snapshot.document(key).flatMap(snapshot.lastVersion) : snapshot.version(of: key)
                else { return VersionVector?.none }
                // The revision ID of a departure is irrelevant; a tombstone that has left the reader's channels is an ordinary revision.
                return row.isRemoval && !row.isDeleted || version.revision.text == row.revision ? version.vector : nil
            }
        }
        let missing = rows.indices.filter { versions[$0] == nil }
        guard !missing.isEmpty else { return versions }
        let assigned = try await store.write { transaction in
            let assigner = VersionAssigner(transaction, in: database)
            try announceLookups(of: missing.map { rows[$0].id }, to: transaction, with: .versions)
            return try missing.map { index in
                let row = rows[index]
                guard let document = try row.document.flatMap({ try transaction.document($0) }),
                    row.isRemoval && !row.isDeleted || document.winner.text == row.revision
                else { return VersionVector?.none }
                return try assigner.version(of: document)
            }
        }
        for (index, version) in zip(missing, assigned) { versions[index] = version }
        return versions
    }

    /// Evaluates a 4.x client's proposals by the rules of ``VersionedDocument``. A version of this database that a restored backup has lost is
    /// wanted.
    ///
    /// - Parameters:
    ///   - copy: The client's database, if the client has identified itself.
    ///   - hasTree: Whether the client's database has revision trees, and has not been upgraded. An upgraded client must not receive `known` for a
    ///     tree revision: it would forget the revision that the next version has to follow (LiteCore 4.1, VectorRecord.cc). It receives a conflict
    ///     instead, and pulls the version.
    ///   - isFirst: Whether the client has no checkpoint here and has not pulled, so that it may be upgraded and connect for the first time. If its
    ///     proposal has no version of this database, its revision may still follow the local winner by a tree ID that the client stores, but does
    ///     not propose. Only the revision's history contains this ID, so a version is wanted. A conflict with a tree revision is answered with the
    ///     winner's tree ID, which the client compares with its own (LiteCore 4.1, `shouldRetryConflictWithNewerAncestor`). Otherwise edits from
    ///     before the first connection would never be pushed. A client that has connected before compares versions, even if its proposal has none:
    ///     its checkpoint may be of another server.
    package func answer(_ proposals: [VersionProposal], copy: ClientDatabase?, hasTree: Bool, isFirst: Bool = false) async throws
        -> [VersionAnswer]
    {
        try await recordDevice()
        let keyspace = self
        let evaluations = try await readEach(proposals, id: \.id, with: .versions) {
            try keyspace.evaluate($0, of: copy, in: $1, hasTree: hasTree, isFirst: isFirst)
        }
        let named = evaluations.compactMap(\.named)
        let versions = named.isEmpty ? [:] : try await currentVersions(of: Set(named))
        return evaluations.map { evaluation in
            switch evaluation {
            case .wanted, .lost: .wanted
            case .known: .known
            // A document that was purged meanwhile causes no conflict.
            case .conflict(let key): versions[key].map { .conflict(current: .version($0.current)) } ?? .wanted
            case .treeConflict(let current): .conflict(current: .tree(current))
            }
        }
    }

    /// Records which tree revisions a client's database has of documents from before its upgrade.
    ///
    /// As long as the client sends no versions, its own revision is recorded, even if it is unknown here, or the document was moved. Tree IDs that
    /// it sends later may be older, and are recorded only if there is no record. An older ID than the recorded one may be an ancestor of a tombstone
    /// that the client has left out.
    ///
    /// - Parameter revisions: documents, and the client's revisions of each, its own revision first.
    package func recordLegacyRevisions(_ revisions: [(id: String, known: [RevisionName])], copy: ClientDatabase) async throws {
        let keyspace = self
        try await store.write { transaction in
            try keyspace.announceLookups(of: revisions.map(\.id), to: transaction)
            for (id, known) in revisions {
                guard let last = known.lazy.compactMap(\.tree).first,
                    let key = try keyspace.locate(id, in: transaction, followingMoves: true)?.key
                else { continue }
                let recorded = try transaction.legacyRevision(of: key, client: copy.name)
                if let recorded, !known.allSatisfy(\.isTree) || last.generation < recorded.generation { continue }
                try transaction.setLegacyRevision(last, of: key, client: copy.name)
            }
        }
    }

    private enum Evaluation {
        case wanted
        case known
        /// A version that a restored backup has lost. It is wanted for the history that comes with it. The winner gets a version first, which
        /// includes the lost one.
        case lost(DocumentKey)
        case conflict(DocumentKey)
        /// For a database without versions: the winner's tree ID.
        case treeConflict(RevisionID)

        /// The document that needs a version.
        var named: DocumentKey? {
            switch self {
            case .lost(let key), .conflict(let key): key
            case .wanted, .known, .treeConflict: nil
            }
        }
    }

    private func evaluate(
        _ proposal: VersionProposal, of copy: ClientDatabase?, in visibility: Visibility, hasTree: Bool, isFirst: Bool
    ) throws -> Evaluation {
        guard let document = try visible(proposal.id, in: visibility), let key = document.key else { return .wanted }
        let versioned = VersionedDocument(document, version: try visibility.snapshot.lastVersion(of: document))
        var conflict = Evaluation.conflict(key)
        let own = SourceID(try visibility.snapshot.uuid)
        // A client with a version of this database has connected before a backup was restored: documents without later writes get the same version
        // again.
        let isFirst = isFirst && !proposal.revision.isMade(by: own)
        if isFirst, !proposal.knowsVersion, versioned.isOfTree(own) {
            conflict = .treeConflict(document.winner.modernAlias)
        }
        switch proposal.revision {
        case .version(let vector):
            let evaluation = versioned.evaluate(vector, parent: proposal.parent)
            if evaluation == .wanted { return .wanted }
            // The revision's history contains the client's tree ID from before its upgrade, which a proposal does not. The revision is requested
            // even if it is refused later.
            if case .tree? = proposal.parent, evaluation == .conflict, copy != nil { return .wanted }
            guard proposal.parent == nil else { return evaluation == .known ? .known : conflict }
            let isLost = try copy != nil && visibility.snapshot.hasLost(vector.current, of: document)
            guard isLost || evaluation == .conflict else { return .known }
            let legacy = try copy.flatMap { try visibility.snapshot.legacyRevision(of: key, client: $0.name) }
            // The record of the client's tree ID from before its upgrade may be lost as well. Only the revision's history contains it.
            if isLost, legacy == nil { return .lost(key) }
            if evaluation == .known { return .known }
            // LiteCore 4.1 may not find the parent of a document from before the upgrade. The revision's vector decides.
            let isEdit = !proposal.revision.isMade(by: own)
            return isFirst || legacy != nil || (copy != nil && isEdit) ? .wanted : conflict
        case .tree(let revision):
            let parent: RevisionID? = if case .tree(let parent)? = proposal.parent { parent } else { nil }
            switch answer(Proposal(id: proposal.id, revision: revision, parent: parent), about: document) {
            case .wanted: return .wanted
            case .known: return hasTree ? .known : .conflict(key)
            // Only the revision's history shows whether it follows the winner. The client's pull may be finished, and may have left out the
            // ancestor.
            case .conflict(let current) where !hasTree && proposal.parent == nil && revision.generation > current.generation:
                return .wanted
            case .conflict(let current): return hasTree ? .treeConflict(current) : conflict
            }
        }
    }

    /// Stores versions for the winners of these documents, where they have none yet.
    package func assignVersions(to documents: Set<DocumentKey>) async throws {
        _ = try await currentVersions(of: documents)
    }

    private func currentVersions(of documents: Set<DocumentKey>) async throws -> [DocumentKey: VersionVector] {
        try await store.write { transaction in
            let assigner = VersionAssigner(transaction, in: database)
            var versions: [DocumentKey: VersionVector] = [:]
            for key in documents {
                guard let document = try transaction.document(key) else { continue }
                versions[key] = try assigner.version(of: document)
            }
            return versions
        }
    }
}
