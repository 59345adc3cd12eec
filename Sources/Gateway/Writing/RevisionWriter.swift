import Access
import Documents
import Storage

/// Writes revisions within one transaction. All checks come before the first change.
struct RevisionWriter {
    /// The keyspace and the user of the write.
    let keyspace: Keyspace
    let transaction: any StoreTransaction

    var database: Database { keyspace.database }
    private var scope: FeedScope { keyspace.scope }

    func write(_ write: RevisionWrite, predicateResults: [Int: Bool], syncResult: WriteSyncResult?) throws -> WriteOutcome {
        try DocumentID.validate(write.id)
        guard write.body.count <= database.configuration.limits.documentSize else {
            throw GatewayError(
                .tooLarge,
                "The body of \(write.id) has \(write.body.count) bytes; the limit is \(database.configuration.limits.documentSize)")
        }
        if let document = try keyspace.locate(write.id, in: transaction, followingMoves: true) {
            return try update(document, with: write, predicateResults: predicateResults, syncResult: syncResult)
        }
        return try create(write, predicateResults: predicateResults, syncResult: syncResult)
    }

    private func create(_ write: RevisionWrite, predicateResults: [Int: Bool], syncResult: WriteSyncResult?) throws -> WriteOutcome {
        var tree = RevisionTree()
        let (revision, _) = try RevisionInsertion(database: database).grow(&tree, with: write, winner: nil, version: nil)
        HistoryPruner.prune(&tree, arriving: database.configuration.limits)
        try checkVersion(of: write, after: nil)
        let place = try placement.place(write, predicateResults: predicateResults)
        try requireWanted(write, of: nil, in: place.collection, predicateResults, syncResult)
        let result = try assignment.result(for: write, in: place.collection, syncResult)
        let attachments = try resolver.resolve(write, of: nil)
        let body = StoredBody(properties: write.body, attachments: attachments?.json)
        let sequence = try transaction.nextSequence()
        var document = DocumentRecord(
            collection: place.collection, unifiedID: place.unifiedID, localID: place.localID,
            sequence: place.unifiedID == nil ? nil : sequence, collectionSequence: sequence, winner: revision,
            flags: place.flags, modified: Timestamp.now, tree: tree)
        document.refreshFlags(winnerHasAttachments: attachments != nil)
        document.flags.formUnion(result.flags)
        let expiry = result.expiry ?? write.expiry
        document.flags.setMembership(of: .expires, to: expiry != nil)
        let key = try transaction.insert(document, winnerBody: body)
        if let expiry { try transaction.setExpiry(expiry.time, of: key) }
        if let attachments {
            try transaction.setAttachments(attachments.keys, usedBy: key)
            if !attachments.missing.isEmpty { try transaction.setMissingAttachments(attachments.missing, of: key) }
        }
        document.key = key
        try recordVersion(of: write, as: revision, in: document, after: nil)
        let changesAccess = try assignment.assign(result, to: document, at: sequence)
        if let id = place.formerUnifiedID {
            try transaction.setDeparture(DepartureRecord(collection: .unified, id: id, document: key, sequence: sequence))
        }
        try transaction.redirectFormerPlaces(of: document, formerly: place.formerUnifiedID, at: sequence)
        return WriteOutcome(revision: revision, isNew: true, expiry: expiry, changesAccess: changesAccess)
    }

    private func update(
        _ found: DocumentRecord, with write: RevisionWrite, predicateResults: [Int: Bool], syncResult: WriteSyncResult?
    ) throws -> WriteOutcome {
        var document = found
        let version = try transaction.version(for: write, of: found)
        let write = try naming(write, found)
        let (revision, isNew) = try RevisionInsertion(database: database).grow(
            &document.tree, with: write, winner: found.winner, version: version)
        try checkVersion(of: write, after: version)
        guard isNew else {
            try recordKnownVersion(of: write, as: revision, in: found, after: version)
            return WriteOutcome(revision: revision, isNew: false)
        }
        try requireWanted(write, of: found, in: found.collection, predicateResults, syncResult)
        let result = try assignment.result(for: write, of: found, syncResult)
        let attachments = try resolver.resolve(write, of: found, history: document.tree.history(of: revision))
        try closeBranches(&document, after: revision, write)
        let pruned = try HistoryPruner(transaction: transaction, limits: database.configuration.limits, now: Timestamp.now).prune(
            &document.tree, of: found)
        guard let winner = document.tree.winner else {
            throw GatewayError(.unavailable, "The revision tree of \(write.id) lost its winner; run `dualgauge check`")
        }
        document.winner = winner.id
        let sequence = try transaction.nextSequence()
        if document.unifiedID != nil { document.sequence = sequence }
        document.collectionSequence = sequence
        document.modified = Timestamp.now
        document.refreshFlags(
            winnerHasAttachments: try winnerHasAttachments(document, revision, attachments != nil, in: found))
        if attachments != nil { document.flags.insert(.usesAttachments) }
        if scope == .unified {
            document.flags.setMembership(
                of: .misplaced, to: try placement.isMisplaced(document, by: write, predicateResults: predicateResults))
        }
        let winning = try winningResult(result, of: revision, document, in: found, syncResult)
        if let winning { document.flags.formUnion(winning.flags) }
        // The expiry belongs to the winner, and each new winner sets it again.
        let expiry = winning?.expiry ?? (document.winner == revision ? write.expiry : nil)
        if winning != nil { document.flags.setMembership(of: .expires, to: expiry != nil) }
        try store(StoredBody(properties: write.body, attachments: attachments?.json), of: revision, in: document, stored: found)
        for old in pruned { try transaction.removeBody(of: old, in: document) }
        try refreshAttachments(of: document)
        if document.winner != revision, !result.channels.isEmpty {
            try transaction.setChannels(result.channels, of: revision, in: document)
        }
        let changesAccess = try winning.map { try assignment.assign($0, to: document, at: sequence) } ?? false
        if winning == nil { try assignment.moveEntries(of: document, to: sequence) }
        try recordVersion(of: write, as: revision, in: document, after: version)
        if let key = document.key, winning != nil, expiry != nil || found.flags.contains(.expires) {
            try transaction.setExpiry(expiry?.time, of: key)
        }
        return WriteOutcome(
            revision: revision, isNew: true, expiry: expiry, isConflicted: document.tree.isConflicted, changesAccess: changesAccess)
    }

    private var placement: Placement { Placement(database: database, scope: scope, snapshot: transaction) }

    /// Requires that the function of the collection that the routes want accepts a user's write.
    private func requireWanted(
        _ write: RevisionWrite, of document: DocumentRecord?, in collection: CollectionKey, _ predicateResults: [Int: Bool],
        _ syncResult: WriteSyncResult?
    ) throws {
        guard !keyspace.principal.isAdministrator, !DocumentID.isDesign(write.id),
            let wanted = placement.wantedElsewhere(write, of: document, in: collection, predicateResults: predicateResults)
        else { return }
        try assignment.require(wanted.key, of: document, syncResult)
    }

    var resolver: AttachmentResolver {
        AttachmentResolver(transaction: transaction, limit: database.configuration.limits.attachmentSize, writer: keyspace)
    }

    private var assignment: ChannelAssignment { ChannelAssignment(database: database, transaction: transaction) }

    /// The sync function's result for the winner; `nil` if the winner is unchanged.
    private func winningResult(
        _ result: SyncFunctionResult, of revision: RevisionID, _ document: DocumentRecord, in stored: DocumentRecord,
        _ syncResult: WriteSyncResult?
    ) throws -> SyncFunctionResult? {
        if document.winner == revision { return result }
        if document.winner == stored.winner { return nil }
        return try assignment.result(forWinnerOf: document, in: stored, syncResult)
    }

    /// - Parameter stored: the stored document, with which the bodies are found.
    private func winnerHasAttachments(
        _ document: DocumentRecord, _ revision: RevisionID, _ hasAttachments: Bool, in stored: DocumentRecord
    ) throws -> Bool {
        if document.winner == revision { return hasAttachments }
        if document.winner == stored.winner { return stored.flags.contains(.attachments) }
        return try transaction.body(of: document.winner, in: stored)?.attachments != nil
    }

    /// Closes a copy that the new revision follows. Then closes losing branches if the database resolves conflicts on arrival by the default rule.
    /// The operator's function runs after the transaction: see ``StoredConflictResolver``.
    private func closeBranches(_ document: inout DocumentRecord, after revision: RevisionID, _ write: RevisionWrite) throws {
        guard document.tree.isConflicted else { return }
        // The bridge's own copy: the next write of the batch closes the original's branch, by a tombstone that identifies the copy's original.
        if case .replicated(_, .follow) = write.kind { return }
        if let copy = document.tree.overtaken(by: revision) { try close(copy, of: &document) }
        guard database.configuration.conflicts == .resolve, database.conflictResolver == nil else { return }
        for loser in document.tree.leaves.dropFirst() where !loser.isDeleted { try close(loser.id, of: &document) }
    }

    private func close(_ leaf: RevisionID, of document: inout DocumentRecord) throws {
        let tombstone = try RevisionDigest.syncGateway(parent: leaf, body: DocumentBody.empty, isDeleted: true)
        try document.tree.insert(child: tombstone, of: leaf, isDeleted: true)
        try transaction.setIsLeaf(false, of: leaf, in: document)
        try transaction.setBody(StoredBody(properties: DocumentBody.empty), of: tombstone, in: document, isLeaf: true)
    }

    /// Writes the row and the new revision's body, and moves the old winner's body where the winner changes.
    private func store(_ body: StoredBody, of revision: RevisionID, in document: DocumentRecord, stored: DocumentRecord) throws {
        let previous = stored.winner
        let previousIsLeaf = document.tree.node(previous)?.isLeaf ?? false
        if document.winner == revision {
            try transaction.changeWinner(of: document, body: body, previous: previous, previousIsLeaf: previousIsLeaf)
        } else {
            // Where the database resolves conflicts, a tombstone may have closed the branch already.
            try transaction.setBody(body, of: revision, in: document, isLeaf: document.tree.node(revision)?.isLeaf ?? false)
            if document.winner == previous {
                try transaction.update(document)
            } else {
                try transaction.changeWinner(of: document, body: nil, previous: previous, previousIsLeaf: previousIsLeaf)
            }
        }
        for leaf in stored.tree.leaves where leaf.id != previous && document.tree.node(leaf.id)?.isLeaf == false {
            try transaction.setIsLeaf(false, of: leaf.id, in: document)
        }
        if let key = document.key {
            try transaction.trimBodies(of: key, keeping: database.configuration.limits.recentBodies)
        }
    }

    /// Recomputes the attachments that the document uses from its stored bodies.
    private func refreshAttachments(of document: DocumentRecord) throws {
        guard document.flags.contains(.usesAttachments), let key = document.key else { return }
        var keys: Set<Int64> = []
        var missing: Set<String> = []
        for json in try transaction.keptAttachments(of: key) {
            for entry in try AttachmentSet(json).entries {
                if let digest = entry.digest, let attachment = try transaction.attachment(digest) {
                    keys.insert(attachment.key)
                } else {
                    missing.insert(entry.digest?.description ?? "")
                }
            }
        }
        try transaction.setAttachments(keys, usedBy: key)
        try transaction.setMissingAttachments(missing, of: key)
    }
}

/// Handles the version of a written revision.
extension RevisionWriter {
    func checkVersion(of write: RevisionWrite, after last: VersionRecord?) throws {
        guard case .versioned(let made) = write.kind else { return }
        try VersionAssigner(transaction, in: database).check(made, of: write.id, after: last)
    }

    func recordVersion(of write: RevisionWrite, as revision: RevisionID, in document: DocumentRecord, after last: VersionRecord?)
        throws
    {
        let assigner = VersionAssigner(transaction, in: database)
        if case .versioned(let made) = write.kind {
            try assigner.record(made, receiving: write.received, of: revision, in: document, after: last)
        } else if let version = write.version {
            try assigner.recordVersion(version, of: document, after: last)
        }
    }

    /// Stores the version of a revision that exists already, with no version or another one.
    ///
    /// This needs the right to write, which has not been checked; so only administrators may do it. Every client may record its own tree revision.
    func recordKnownVersion(of write: RevisionWrite, as revision: RevisionID, in document: DocumentRecord, after last: VersionRecord?)
        throws
    {
        let isTrusted = keyspace.principal.isAdministrator
        let assigner = VersionAssigner(transaction, in: database)
        if case .versioned(let made) = write.kind, let key = document.key {
            if isTrusted {
                try assigner.recordVersion(VersionRecord(revision: revision, vector: made.history.vector), of: document, after: last)
            }
            try assigner.recordLegacyRevision(made, of: key)
        } else if isTrusted, let version = write.version {
            try assigner.recordVersion(version, of: document, after: last)
        }
    }

    /// Turns a server's revision into a version of the local winner, if the two have the same content and the revision names the winner as the last
    /// tree revision.
    func naming(_ write: RevisionWrite, _ document: DocumentRecord) throws -> RevisionWrite {
        guard case .versioned(var made) = write.kind, made.isNaming, made.tree.isEmpty, let last = made.history.legacy.first,
            last == document.winner || last == document.winner.modernAlias,
            write.isDeleted == document.flags.contains(.deleted), write.attachmentBytes.isEmpty,
            let body = try transaction.body(of: document.winner, in: document), body.properties == write.body,
            try body.attachments == resolver.resolve(write, of: document)?.json
        else { return write }
        made.tree = [document.winner]
        var named = write
        named.kind = .versioned(made)
        return named
    }
}

extension DocumentRecord {
    /// Updates the flags that feeds need from the tree.
    mutating func refreshFlags(winnerHasAttachments: Bool) {
        var fresh = DocumentFlags(tree: tree, hasAttachments: winnerHasAttachments)
        if winnerHasAttachments { fresh.insert(.usesAttachments) }
        flags = fresh.union(flags.intersection(.besidesTree))
    }
}

extension DocumentFlags {
    mutating func setMembership(of flag: DocumentFlags, to isMember: Bool) {
        if isMember { insert(flag) } else { remove(flag) }
    }
}
