import Access
import Documents
import Storage

extension Keyspace {
    /// Writes revisions, each for itself, in one transaction, and returns when they are durable.
    ///
    /// - Returns: for each revision in order what became of it, or why it was refused.
    /// - Throws: what the store throws: then none of them was written.
    public func write(_ writes: [RevisionWrite]) async throws -> [Result<WriteOutcome, GatewayError>] {
        let results = try await store(writes)
        if let resolver = database.conflictResolver {
            let settler = StoredConflictResolver(keyspace: seen(by: .administrator), resolver: resolver)
            for (write, result) in zip(writes, results) {
                guard case .success(let outcome) = result, outcome.isConflicted else { continue }
                await settler.settle(write.id)
            }
        }
        return results
    }

    /// Writes revisions, and leaves conflicts that they make as they are.
    func store(_ writes: [RevisionWrite]) async throws -> [Result<WriteOutcome, GatewayError>] {
        guard !writes.isEmpty else { return [] }
        try await recordDevice()
        let verdicts = try await PredicateResults.evaluate(writes, in: self)
        var results = [Result<WriteOutcome, GatewayError>?](repeating: nil, count: writes.count)
        var open = Array(writes.indices)
        var asked = open.count
        // Sync functions speak before the transaction. What they say holds if the document is still as they saw it; else they are
        // asked again: once for most, and as often as one batch writes to the same document.
        for _ in 0..<(writes.count + Self.patience) {
            let next = Array(open.prefix(asked))
            let judgements = try await SyncFunctionRunner(keyspace: self).judge(
                next.map { writes[$0] }, verdicts: next.map { verdicts[$0] })
            let outcomes = try await commit(next.map { writes[$0] }, next.map { verdicts[$0] }, judgements)
            for (index, outcome) in zip(next, outcomes) { results[index] = outcome }
            let count = open.count
            open.removeAll { results[$0] != nil }
            if open.isEmpty { break }
            // Where each write changes what holds for the next, most of a long batch would be judged in vain each time.
            asked = max(Self.fewest, 2 * (count - open.count))
        }
        return zip(writes, results).map { write, result in
            result ?? .failure(GatewayError(.unavailable, "\(write.id) is being changed by others all the time; try again"))
        }
    }

    /// How often a batch of writes is judged anew because others were faster.
    private static let patience = 8

    /// How many writes are judged together at least.
    private static let fewest = 16

    /// - Returns: for each write its result; `nil` if the sync function has to be asked again.
    private func commit(
        _ writes: [RevisionWrite], _ verdicts: [[Int: Bool]], _ judgements: WriteSyncResults
    ) async throws -> [Result<WriteOutcome, GatewayError>?] {
        let keyspace = self
        let outcomes: [Result<WriteOutcome, GatewayError>?] = try await store.write { transaction in
            let writer = RevisionWriter(keyspace: keyspace, transaction: transaction)
            var isOutdated = false
            return try writes.enumerated().map { index, write in
                // What a document gives its writer counts for those behind it.
                if isOutdated, judgements[index] != nil { return nil }
                do {
                    if DocumentID.isDesign(write.id) { try keyspace.checkDesign(write) }
                    let outcome = try writer.write(write, verdicts: verdicts[index], judgement: judgements[index])
                    if outcome.changesAccess { isOutdated = try judgements.areOutdated(in: transaction, for: keyspace) }
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
            if let expiry = outcome.expiry { database.expiryTimer.note(expiry.time) }
        }
        return outcomes
    }

    /// Design documents hold functions that run for everybody: administrators write them, and to the database, of which all keyspaces have
    /// them.
    private func checkDesign(_ write: RevisionWrite) throws(GatewayError) {
        guard principal.isAdministrator else { throw GatewayError(.forbidden, "forbidden") }
        guard scope == .unified || scope == .collection(.default) else {
            throw GatewayError(
                .badRequest, "\(write.id): design documents belong to the database; write it to /{db}/, and it holds in each collection")
        }
    }

    /// Writes one revision.
    public func write(_ write: RevisionWrite) async throws -> WriteOutcome {
        guard let result = try await self.write([write]).first else {
            throw GatewayError(.unavailable, "The write had no result")
        }
        return try result.get()
    }
}
