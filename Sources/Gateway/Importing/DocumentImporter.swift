import Documents
import Storage

/// Writes imported documents within one transaction.
///
/// A new document is inserted at once: one row, and the bodies of the non-winning revisions. The revisions of an existing document are added as if
/// a client replicated them.
struct DocumentImporter {
    let database: Database
    let options: ImportOptions
    let transaction: any StoreTransaction

    func write(_ plan: ImportPlan) throws -> ImportOutcome {
        let placement = try ImportPlacement(database: database, options: options, snapshot: transaction).place(plan)
        var outcome = placement.outcome
        if outcome.kind == .known, let found = placement.found {
            try complete(found, by: plan)
            try record(plan.document.origin, of: found.key)
        }
        guard outcome.kind != .leftOut, outcome.kind != .known else { return outcome }
        try checkSyncResult(plan, in: placement)
        outcome.isRefused = plan.syncResult.map { $0.winner == nil } ?? false
        if let found = placement.found {
            try grow(found, by: plan)
        } else if let place = placement.place {
            outcome.faults = try create(plan, at: place)
        }
        return outcome
    }

    /// A sync function's result is valid only for the collection in which the document is placed.
    private func checkSyncResult(_ plan: ImportPlan, in placement: ImportPlacement.Result) throws {
        guard let key = placement.collectionKey, database.syncFunctions[key] != nil else { return }
        guard plan.syncResult?.collection == key else { throw StaleSyncResult() }
    }

    /// - Returns: ancestors whose bodies were left out.
    private func create(_ plan: ImportPlan, at place: Placement.Place) throws -> [RevisionID: GatewayError] {
        var tree = plan.tree
        HistoryPruner.prune(&tree, arriving: database.configuration.limits)
        let resolved = try resolve(plan, in: tree)
        let winner = plan.winning
        let sequence = try transaction.nextSequence()
        var document = DocumentRecord(
            collection: place.collection, unifiedID: place.unifiedID, localID: place.localID,
            sequence: place.unifiedID == nil ? nil : sequence, collectionSequence: sequence, winner: plan.winner, flags: place.flags,
            modified: min(plan.document.origin?.written ?? .max, Timestamp.now), tree: tree)
        document.refreshFlags(winnerHasAttachments: resolved.json[plan.winnerIndex] != nil)
        if !resolved.keys.isEmpty || !resolved.missing.isEmpty { document.flags.insert(.usesAttachments) }
        let result = syncResult(plan, in: place.collection)
        document.flags.formUnion(result.flags)
        if plan.document.origin?.wasInDefault == true, place.collection != .default { document.flags.insert(.routed) }
        let expiry = result.expiry ?? winner.expiry
        document.flags.setMembership(of: .expires, to: expiry != nil)
        let key = try transaction.insert(
            document, winnerBody: StoredBody(properties: winner.body, attachments: resolved.json[plan.winnerIndex]))
        document.key = key
        if let expiry { try transaction.setExpiry(expiry.time, of: key) }
        for (index, revision) in plan.document.revisions.enumerated() where index != plan.winnerIndex {
            guard let id = revision.replicatedID, let node = tree.node(id), resolved.faults[id] == nil else { continue }
            let body = StoredBody(properties: revision.body, attachments: resolved.json[index])
            try transaction.setBody(body, of: id, in: document, isLeaf: node.isLeaf)
            if node.isLeaf, let channels = loserChannels(plan, id, at: index, place.collection), !channels.isEmpty {
                try transaction.setChannels(channels, of: id, in: document)
            }
        }
        if !resolved.keys.isEmpty { try transaction.setAttachments(resolved.keys, usedBy: key) }
        if !resolved.missing.isEmpty { try transaction.setMissingAttachments(resolved.missing, of: key) }
        try ChannelAssignment(database: database, transaction: transaction).assign(result, to: document, at: sequence)
        if let id = place.formerUnifiedID {
            try transaction.setDeparture(DepartureRecord(collection: .unified, id: id, document: key, sequence: sequence))
        }
        try transaction.redirectFormerPlaces(of: document, formerly: place.formerUnifiedID, at: sequence)
        try record(plan.document.origin, of: key)
        return resolved.faults
    }

    /// Stores which revisions and versions 4.x clients have of the document from its source store. Newer records of this store take precedence.
    private func record(_ origin: DocumentOrigin?, of key: DocumentKey?) throws {
        guard let origin, let key else { return }
        for (copy, revision) in origin.legacy {
            guard try transaction.legacyRevision(of: key, client: copy) == nil else { continue }
            try transaction.setLegacyRevision(revision, of: key, client: copy)
        }
        guard let version = origin.version else { return }
        if let known = try transaction.version(of: key), !version.vector.contains(known.vector) { return }
        try transaction.setVersion(version, of: key)
    }

    private struct ResolvedAttachments {
        /// By the index of the revision.
        var json: [Int: [UInt8]] = [:]
        var keys: Set<Int64> = []
        var missing: Set<String> = []
        var faults: [RevisionID: GatewayError] = [:]
    }

    private func resolve(_ plan: ImportPlan, in tree: RevisionTree) throws -> ResolvedAttachments {
        var found = ResolvedAttachments()
        let resolver = AttachmentResolver(transaction: transaction, limit: database.configuration.limits.attachmentSize)
        for (index, revision) in plan.document.revisions.enumerated() {
            guard revision.attachments?.isEmpty == false, let id = revision.replicatedID, let node = tree.node(id) else { continue }
            do {
                guard let resolved = try resolver.resolve(revision, of: nil) else { continue }
                found.json[index] = resolved.json
                found.keys.formUnion(resolved.keys)
                found.missing.formUnion(resolved.missing)
            } catch let error as GatewayError where !node.isLeaf {
                found.faults[id] = error
            }
        }
        return found
    }

    private func syncResult(_ plan: ImportPlan, in collection: CollectionKey) -> SyncFunctionResult {
        guard !DocumentID.isDesign(plan.document.id) else { return SyncFunctionResult() }
        if database.syncFunctions[collection] != nil { return plan.syncResult?.winner ?? SyncFunctionResult() }
        return byDefault(plan, at: plan.winnerIndex, in: collection)
    }

    private func loserChannels(_ plan: ImportPlan, _ id: RevisionID, at index: Int, _ collection: CollectionKey) -> Set<String>? {
        guard !DocumentID.isDesign(plan.document.id) else { return nil }
        if database.syncFunctions[collection] != nil { return plan.syncResult?.losers[id] }
        return byDefault(plan, at: index, in: collection).channels
    }

    private func byDefault(_ plan: ImportPlan, at index: Int, in collection: CollectionKey) -> SyncFunctionResult {
        guard let record = database.collections[collection] else { return SyncFunctionResult() }
        return SyncFunctionResult.byDefault(property: plan.channels[index], in: record.collectionName)
    }

    private func grow(_ found: DocumentRecord, by plan: ImportPlan) throws {
        guard let key = found.key else { return }
        let scope = FeedScope.collection(found.collection)
        let writer = RevisionWriter(keyspace: Keyspace(database: database, scope: scope, name: database.name), transaction: transaction)
        for revision in plan.document.revisions {
            guard let current = try transaction.document(key), let id = revision.replicatedID, !current.tree.contains(id) else { continue }
            var write = revision
            write.id = current.id
            let result = id == plan.winner ? plan.syncResult?.winner : nil
            let syncResult = WriteSyncResult(
                collection: current.collection, function: database.syncFunctions.fingerprint(current.collection),
                base: current.collectionSequence, revision: .success(result ?? SyncFunctionResult()))
            _ = try writer.write(write, predicateResults: [:], syncResult: syncResult)
        }
        try complete(found, by: plan)
        try record(plan.document.origin, of: key)
    }

    /// Stores the bytes of attachments that were missing in a document.
    ///
    /// Attachments that arrive under the known digest need no alias. CouchDB's MD5 may be of compressed bytes; the attachment of the same name in
    /// the same revision is then the missing one.
    private func complete(_ found: DocumentRecord, by plan: ImportPlan) throws {
        guard found.flags.contains(.usesAttachments), let key = found.key, let document = try transaction.document(key) else { return }
        let missing = try transaction.missingAttachments(of: key)
        guard !missing.isEmpty else { return }
        for revision in plan.document.revisions {
            guard let come = revision.attachments, let id = revision.replicatedID,
                let stored = try transaction.body(of: id, in: document)?.attachments
            else { continue }
            for entry in try AttachmentSet(stored).entries {
                guard let digest = entry.digest, digest.algorithm == .md5, missing.contains(digest.description),
                    let record = try come[entry.name]?.digest.flatMap({ try transaction.attachment($0) })
                else { continue }
                try transaction.addAlias(digest, for: record)
            }
        }
    }
}

extension RevisionWrite {
    /// The revision's ID if it was created on another server.
    var replicatedID: RevisionID? {
        guard case .replicated(let history, _) = kind else { return nil }
        return history.first
    }
}
