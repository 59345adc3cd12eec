package import Documents
package import Storage

/// Imports documents of other servers unchanged: with their revision IDs, histories, branches and tombstones.
extension Database {
    /// The maximum number of preparations of a batch when concurrent writes intervene.
    private static var maximumAttempts: Int { 8 }

    /// Prepares documents before the write transaction: validates them, and evaluates the routes. Preparing one batch while another is written
    /// shortens the write transaction.
    package func planImport(_ documents: [ImportedDocument]) async throws -> PlannedImport {
        PlannedImport(plans: try await plans(for: documents))
    }

    /// Writes documents and the journal in one transaction. Each document succeeds or fails separately.
    ///
    /// - Parameter journal: is called in the transaction with the result of each document, in order, before the commit. It may be called again if
    ///   the transaction is repeated.
    /// - Returns: the result of each document.
    /// - Throws: the store's errors; then nothing was written, including the journal.
    package func importDocuments(
        _ documents: PlannedImport, attachments: [ImportedAttachment] = [], options: ImportOptions = ImportOptions(),
        journal: @escaping @Sendable (any StoreTransaction, [Result<ImportOutcome, GatewayError>]) throws -> Void
    ) async throws -> [Result<ImportOutcome, GatewayError>] {
        var plans = documents.plans
        var isCareful = false
        for _ in 0..<Self.maximumAttempts {
            plans = try await addingSyncResults(plans, options)
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
                // A document contradicts stored data. Savepoints identify it; using them from the start would slow down every document.
                isCareful = true
            }
        }
        throw GatewayError(.unavailable, "Other writers keep changing the documents; try again")
    }

    /// The result that ``importDocuments(_:attachments:options:journal:)`` would have for each document. Nothing is written.
    ///
    /// Does not check whether attachments are stored.
    package func previewImport(
        _ documents: [ImportedDocument], options: ImportOptions = ImportOptions()
    ) async throws -> [Result<ImportOutcome, GatewayError>] {
        let plans = try await plans(for: documents)
        let database = self
        return try await store.read { snapshot in
            let placement = ImportPlacement(database: database, options: options, snapshot: snapshot)
            return try plans.map { plan in try Self.result(plan) { try placement.place($0).outcome } }
        }
    }

    /// The attachments of these that are not stored.
    package func missingAttachments(_ digests: Set<AttachmentDigest>) async throws -> Set<AttachmentDigest> {
        guard !digests.isEmpty else { return [] }
        return try await store.read { snapshot in
            try digests.filter { try snapshot.attachment($0) == nil }
        }
    }

    /// Runs `work` in a write transaction, for the journals of runs.
    package func inTransaction<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        try await store.write(work)
    }

    /// Runs `work` on a snapshot, for the journals of runs.
    package func inSnapshot<Value: Sendable>(_ work: @escaping @Sendable (any StoreSnapshot) throws -> Value) async throws -> Value {
        try await store.read(work)
    }

    /// Like ``result(_:_:)``, but translates a storage error about the document into the document's result.
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
        let predicateResults = try await PredicateResults.evaluate(subjects, in: unified)
        for (position, index) in routed.enumerated() {
            guard case .success(var plan) = plans[index] else { continue }
            let subject = subjects[position]
            plan.wanted = routes.match(subject.id, body: subject.body, predicateResults: predicateResults[position])
            plans[index] = .success(plan)
        }
        return plans
    }

    /// Adds the sync functions' results to the plans.
    private func addingSyncResults(
        _ plans: [Result<ImportPlan, GatewayError>], _ options: ImportOptions
    ) async throws -> [Result<ImportPlan, GatewayError>] {
        guard !syncFunctions.isEmpty else { return plans }
        let database = self
        let cases = try await store.read { snapshot in
            let placement = ImportPlacement(database: database, options: options, snapshot: snapshot)
            return plans.map { plan -> ResyncInput? in
                // A document without a placement is refused again in the transaction; that result counts.
                guard let plan = try? plan.get(), let result = try? placement.place(plan), let key = result.collectionKey,
                    database.syncFunctions[key] != nil, result.outcome.kind != .known, result.outcome.kind != .leftOut
                else { return nil }
                return ResyncInput(plan, in: key, id: result.outcome.id)
            }
        }
        let asked = cases.indices.filter { cases[$0] != nil }
        var evaluated = plans
        for (index, result) in zip(asked, try await ResyncEvaluator(database: self).evaluate(asked.compactMap { cases[$0] })) {
            guard case .success(var plan) = evaluated[index] else { continue }
            plan.syncResult = result
            evaluated[index] = .success(plan)
        }
        return evaluated
    }
}
