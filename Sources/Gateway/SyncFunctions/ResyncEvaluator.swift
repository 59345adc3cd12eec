import Documents
import Scripting
import Storage

/// Evaluates collections' sync functions for existing documents, as for an administrator's first write.
///
/// Runs outside of transactions, so the writer never waits for a script.
struct ResyncEvaluator: Sendable {
    let database: Database

    /// - Throws: ``GatewayError`` with code `unavailable` if the functions cannot run now.
    func evaluate(_ cases: [ResyncInput]) async throws -> [ResyncResult] {
        var results = cases.map { ResyncResult(collection: $0.collection) }
        // A design document is in no channel, and no function runs for it.
        let asked = cases.indices.filter { !DocumentID.isDesign(cases[$0].record.id) }
        for index in cases.indices { results[index].winner = SyncFunctionResult() }
        for (collection, indices) in Dictionary(grouping: asked, by: { cases[$0].collection }) {
            guard let function = database.syncFunctions[collection] else {
                for index in indices { results[index] = byDefault(cases[index]) }
                continue
            }
            let inputs = indices.flatMap { index in cases[index].leaves.map { input($0, of: cases[index]) } }
            var answers = try await database.scripts.call(function, each: inputs).makeIterator()
            for index in indices {
                results[index] = try result(for: cases[index]) { _ in
                    try answers.next().flatMap { try Self.result($0) }
                }
            }
        }
        return results
    }

    private func byDefault(_ input: ResyncInput) -> ResyncResult {
        guard let record = database.collections[input.collection] else {
            return ResyncResult(collection: input.collection)
        }
        let name = record.collectionName
        return result(for: input) { SyncFunctionResult.byDefault($0.body?.properties ?? [], in: name) }
    }

    private func result(
        for input: ResyncInput, _ ask: (ResyncInput.Leaf) throws -> SyncFunctionResult?
    ) rethrows -> ResyncResult {
        var result = ResyncResult(collection: input.collection, winner: SyncFunctionResult())
        for leaf in input.leaves {
            let answer = try ask(leaf)
            if leaf.revision == input.winner.revision {
                result.winner = answer
            } else {
                result.losers[leaf.revision] = answer?.channels ?? []
            }
        }
        return result
    }

    /// - Returns: `nil` for a revision that the function refuses, or fails on.
    private static func result(_ answer: Result<SyncFunctionOutput, ScriptError>) throws -> SyncFunctionResult? {
        if case .failure(let error) = answer, error.code == .busy || error.code == .stopped {
            throw GatewayError(.unavailable, "The sync function cannot be run now; try again later", cause: error)
        }
        return try? SyncFunctionRunner.result(answer).get()
    }

    private func input(_ leaf: ResyncInput.Leaf, of input: ResyncInput) -> SyncFunctionInput {
        let id = database.syncFunctions.documentID(input.id, legacy: input.record.unifiedID, in: input.collection)
        return SyncFunctionInput(
            document: ScriptedDocument.written(id, leaf.revision, leaf.isDeleted, leaf.body?.properties ?? []))
    }
}

/// The sync function's results for an existing document.
struct ResyncResult: Sendable {
    /// The collection of the sync function.
    let collection: CollectionKey

    /// `nil` if the function refuses the winner, or fails on it.
    var winner: SyncFunctionResult?

    /// The channels of the losing branches; empty for those that the function refuses.
    var losers: [RevisionID: Set<String>] = [:]
}
