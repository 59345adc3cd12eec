public import Documents
public import Storage

/// Documents from elsewhere, written as they are: with their revision IDs, histories, branches and tombstones.
extension Database {
    /// How often a batch is prepared anew because others were faster.
    private static var patience: Int { 8 }

    /// Finds out about documents what can be found out before they are written: they are checked, and the routes are asked. The more of it is
    /// done while others are being written, the less the writer waits.
    public func planImport(_ documents: [ImportedDocument]) async throws -> PlannedImport {
        PlannedImport(plans: try await plans(for: documents))
    }

    /// Writes documents in one transaction, each for itself, and whatever `journal` writes.
    ///
    /// - Parameter journal: is called in the transaction with what has become of each document, in order, before the commit. It may be called
    ///   again if the transaction is.
    /// - Returns: what became of each.
    /// - Throws: what the store throws: then nothing was written, the journal included.
    public func importDocuments(
        _ documents: PlannedImport, attachments: [ImportedAttachment] = [], options: ImportOptions = ImportOptions(),
        journal: @escaping @Sendable (any StoreTransaction, [Result<ImportOutcome, GatewayError>]) throws -> Void
    ) async throws -> [Result<ImportOutcome, GatewayError>] {
        var plans = documents.plans
        var isCareful = false
        for _ in 0..<Self.patience {
            plans = try await judged(plans, options)
            let database = self
            let (current, guards) = (plans, isCareful)
            do {
                return try await store.write { transaction in
                    for attachment in attachments {
                        let record = try transaction.insertAttachment(attachment.bytes, digest: attachment.digest)
                        if let alias = attachment.alias { try transaction.addAlias(alias, for: record) }
                    }
                    let importer = DocumentImporter(database: database, options: options, transaction: transaction)
                    let results = try current.map { plan in
                        guard guards else { return try Self.result(plan) { try importer.write($0) } }
                        return try Self.guarded(plan) { plan in try transaction.attempt { try importer.write(plan) } }
                    }
                    try journal(transaction, results)
                    return results
                }
            } catch is StaleSyncResult {
                continue
            } catch let error as StorageError where !error.isOfStore && !isCareful {
                // Some document contradicts what is stored. Savepoints show which: from the start they would cost all documents time.
                isCareful = true
            }
        }
        throw GatewayError(.unavailable, "The documents are being changed by others all the time; try again")
    }

    /// What ``importDocuments(_:attachments:options:journal:)`` would do with each document. Nothing is written.
    ///
    /// Whether attachments are there is not looked at.
    public func previewImport(
        _ documents: [ImportedDocument], options: ImportOptions = ImportOptions()
    ) async throws -> [Result<ImportOutcome, GatewayError>] {
        let plans = try await plans(for: documents)
        let database = self
        return try await store.read { snapshot in
            let placement = ImportPlacement(database: database, options: options, snapshot: snapshot)
            return try plans.map { plan in try Self.result(plan) { try placement.place($0).outcome } }
        }
    }

    /// Which of these attachments are not here.
    public func missingAttachments(_ digests: Set<AttachmentDigest>) async throws -> Set<AttachmentDigest> {
        guard !digests.isEmpty else { return [] }
        return try await store.read { snapshot in
            try digests.filter { try snapshot.attachment($0) == nil }
        }
    }

    /// Runs `work` in a transaction: for the journals of runs.
    public func inTransaction<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        try await store.write(work)
    }

    /// Runs `work` on a snapshot: for the journals of runs.
    public func inSnapshot<Value: Sendable>(_ work: @escaping @Sendable (any StoreSnapshot) throws -> Value) async throws -> Value {
        try await store.read(work)
    }

    /// As ``result(_:_:)``; what the store does not take is the document's fault.
    private static func guarded(
        _ plan: Result<ImportPlan, GatewayError>, _ work: (ImportPlan) throws -> ImportOutcome
    ) throws -> Result<ImportOutcome, GatewayError> {
        do {
            return try result(plan, work)
        } catch let error as StorageError where !error.isOfStore {
            return .failure(GatewayError(.badRequest, "The document cannot be stored: \(error.message)", cause: error))
        }
    }

    private static func result(
        _ plan: Result<ImportPlan, GatewayError>, _ work: (ImportPlan) throws -> ImportOutcome
    ) throws -> Result<ImportOutcome, GatewayError> {
        do {
            return .success(try work(plan.get()))
        } catch let error as GatewayError {
            return .failure(error)
        } catch let error as DocumentError {
            return .failure(GatewayError(.badRequest, error.message, cause: error))
        }
    }

    private func plans(for documents: [ImportedDocument]) async throws -> [Result<ImportPlan, GatewayError>] {
        var plans = documents.map { document -> Result<ImportPlan, GatewayError> in
            do {
                return .success(try ImportPlan(document, limits: configuration.limits))
            } catch let error as GatewayError {
                return .failure(error)
            } catch {
                return .failure(GatewayError(.badRequest, (error as? DocumentError)?.message ?? "\(error)", cause: error))
            }
        }
        guard !routes.rules.isEmpty else { return plans }
        let routed = plans.indices.filter { (try? plans[$0].get())?.document.collection == .default }
        let subjects = routed.compactMap { try? plans[$0].get().subject }
        let verdicts = try await PredicateResults.evaluate(subjects, in: unified)
        for (position, index) in routed.enumerated() {
            guard case .success(var plan) = plans[index] else { continue }
            let subject = subjects[position]
            plan.wanted = routes.match(subject.id, body: subject.body, verdicts: verdicts[position])
            plans[index] = .success(plan)
        }
        return plans
    }

    /// The plans with what the sync functions say of them, where there are any.
    private func judged(
        _ plans: [Result<ImportPlan, GatewayError>], _ options: ImportOptions
    ) async throws -> [Result<ImportPlan, GatewayError>] {
        guard !syncFunctions.isEmpty else { return plans }
        let database = self
        let cases = try await store.read { snapshot in
            let placement = ImportPlacement(database: database, options: options, snapshot: snapshot)
            return plans.map { plan -> ResyncInput? in
                // What cannot be placed is refused again in the transaction, where it counts.
                guard let plan = try? plan.get(), let result = try? placement.place(plan), let key = result.collectionKey,
                    database.syncFunctions[key] != nil, result.outcome.kind != .known, result.outcome.kind != .leftOut
                else { return nil }
                return ResyncInput(plan, in: key, id: result.outcome.id)
            }
        }
        let asked = cases.indices.filter { cases[$0] != nil }
        var judged = plans
        for (index, verdict) in zip(asked, try await ResyncEvaluator(database: self).judge(asked.compactMap { cases[$0] })) {
            guard case .success(var plan) = judged[index] else { continue }
            plan.verdict = verdict
            judged[index] = .success(plan)
        }
        return judged
    }
}
