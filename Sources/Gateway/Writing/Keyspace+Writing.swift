import Access
import Documents
import Storage

extension Keyspace {
    /// Writes revisions in one transaction, each with its own result; returns when they are durable.
    ///
    /// - Returns: the result of each revision, in order.
    /// - Throws: the store's errors; then nothing was written.
    package func write(_ writes: [RevisionWrite]) async throws -> [Result<WriteOutcome, GatewayError>] {
        let results = try await store(writes)
        if let resolver = database.conflictResolver {
            let storedResolver = StoredConflictResolver(keyspace: seen(by: .administrator), resolver: resolver)
            for (write, result) in zip(writes, results) {
                guard case .success(let outcome) = result, outcome.isConflicted else { continue }
                await storedResolver.resolve(write.id)
            }
        }
        return results
    }

    /// Writes revisions without resolving the conflicts that they cause.
    func store(_ writes: [RevisionWrite]) async throws -> [Result<WriteOutcome, GatewayError>] {
        guard !writes.isEmpty else { return [] }
        try await recordDevice()
        let predicateResults = try await PredicateResults.evaluate(writes, in: self)
        var results = [Result<WriteOutcome, GatewayError>?](repeating: nil, count: writes.count)
        var open = Array(writes.indices)
        var asked = open.count
        // Sync functions run before the transaction. Their results are valid if the document has not changed since; otherwise they run again: once
        // in most cases, and once for each further write of the batch to the same document.
        for _ in 0..<(writes.count + Self.maximumAttempts) {
            let next = Array(open.prefix(asked))
            let syncResults = try await SyncFunctionRunner(keyspace: self).evaluate(
                next.map { writes[$0] }, predicateResults: next.map { predicateResults[$0] })
            let outcomes = try await commit(next.map { writes[$0] }, next.map { predicateResults[$0] }, syncResults)
            for (index, outcome) in zip(next, outcomes) { results[index] = outcome }
            let count = open.count
            open.removeAll { results[$0] != nil }
            if open.isEmpty { break }
            // If each write invalidates the next result, evaluating the whole rest of a long batch each time would be wasted work.
            asked = max(Self.fewest, 2 * (count - open.count))
        }
        return zip(writes, results).map { write, result in
            result ?? .failure(GatewayError(.unavailable, "Other writers keep changing \(write.id); try again"))
        }
    }

    /// The maximum number of evaluations of a batch when concurrent writes intervene.
    private static let maximumAttempts = 8

    /// The minimum number of writes that are evaluated together.
    private static let fewest = 16

    /// - Returns: the result of each write; `nil` if the sync function has to be evaluated again.
    private func commit(
        _ writes: [RevisionWrite], _ predicateResults: [[Int: Bool]], _ syncResults: WriteSyncResults
    ) async throws -> [Result<WriteOutcome, GatewayError>?] {
        let keyspace = self
        let outcomes: [Result<WriteOutcome, GatewayError>?] = try await store.write { transaction in
            let writer = RevisionWriter(keyspace: keyspace, transaction: transaction)
            try keyspace.announceLookups(of: writes, to: transaction, with: [.channels, .versions])
            var isOutdated = false
            return try writes.enumerated().map { index, write in
                // A grant to the writer by one document affects the following writes.
                if isOutdated, syncResults[index] != nil { return nil }
                do {
                    if DocumentID.isDesign(write.id) { try keyspace.checkDesign(write) }
                    let outcome = try writer.write(write, predicateResults: predicateResults[index], syncResult: syncResults[index])
                    if outcome.changesAccess { isOutdated = try syncResults.areOutdated(in: transaction, for: keyspace) }
                    return .success(outcome)
                } catch let error as GatewayError {
                    return .failure(error)
                } catch let error as DocumentError {
                    return .failure(GatewayError(.badRequest, error.message, cause: error))
                } catch is StaleSyncResult {
                    return nil
                }
            }
        }
        for case .success(let outcome)? in outcomes {
            if let expiry = outcome.expiry { database.expiryTimer.record(expiry.time) }
        }
        return outcomes
    }

    /// Design documents contain functions that run for all users: only administrators may write them. They belong to the database and apply to all
    /// keyspaces.
    private func checkDesign(_ write: RevisionWrite) throws(GatewayError) {
        guard principal.isAdministrator else { throw GatewayError(.forbidden, "forbidden") }
        guard scope == .unified || scope == .collection(.default) else {
            throw GatewayError(
                .badRequest, "\(write.id): design documents belong to the database; write it to /{db}/; it applies to each collection")
        }
    }

    /// Writes one revision.
    package func write(_ write: RevisionWrite) async throws -> WriteOutcome {
        guard let result = try await self.write([write]).first else {
            throw GatewayError(.unavailable, "The write had no result")
        }
        return try result.get()
    }
}
