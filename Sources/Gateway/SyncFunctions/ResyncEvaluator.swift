import Documents
import Scripting
import Storage

/// Asks collections' sync functions about documents that are there already, as an administrator who writes them for the first time.
///
/// It speaks outside any transaction: the writer never waits for a script.
struct ResyncEvaluator: Sendable {
    let database: Database

    /// - Throws: ``GatewayError`` with code `unavailable` if the functions cannot be asked now.
    func judge(_ cases: [ResyncInput]) async throws -> [ResyncResult] {
        var verdicts = cases.map { ResyncResult(collection: $0.collection) }
        // A design document is in no channel, and no function is asked about it.
        let asked = cases.indices.filter { !DocumentID.isDesign(cases[$0].record.id) }
        for index in cases.indices { verdicts[index].winner = SyncFunctionResult() }
        for (collection, indices) in Dictionary(grouping: asked, by: { cases[$0].collection }) {
            guard let function = database.syncFunctions[collection] else {
                for index in indices { verdicts[index] = byDefault(cases[index]) }
                continue
            }
            let inputs = indices.flatMap { index in cases[index].leaves.map { input($0, of: cases[index]) } }
            var answers = try await database.scripts.call(function, each: inputs).makeIterator()
            for index in indices {
                verdicts[index] = try verdict(on: cases[index]) { _ in
                    try answers.next().flatMap { try Self.verdict($0) }
                }
            }
        }
        return verdicts
    }

    private func byDefault(_ standing: ResyncInput) -> ResyncResult {
        guard let record = database.collections[standing.collection] else {
            return ResyncResult(collection: standing.collection)
        }
        let name = record.collectionName
        return verdict(on: standing) { SyncFunctionResult.byDefault($0.body?.properties ?? [], in: name) }
    }

    private func verdict(
        on standing: ResyncInput, _ ask: (ResyncInput.Leaf) throws -> SyncFunctionResult?
    ) rethrows -> ResyncResult {
        var verdict = ResyncResult(collection: standing.collection, winner: SyncFunctionResult())
        for leaf in standing.leaves {
            let said = try ask(leaf)
            if leaf.revision == standing.winner.revision {
                verdict.winner = said
            } else {
                verdict.losers[leaf.revision] = said?.channels ?? []
            }
        }
        return verdict
    }

    /// - Returns: `nil` for a revision that the function refuses, or fails on.
    private static func verdict(_ answer: Result<SyncFunctionOutput, ScriptError>) throws -> SyncFunctionResult? {
        if case .failure(let error) = answer, error.code == .busy || error.code == .stopped {
            throw GatewayError(.unavailable, "The sync function cannot be asked now; try again later", cause: error)
        }
        return try? SyncFunctionRunner.verdict(answer).get()
    }

    private func input(_ leaf: ResyncInput.Leaf, of standing: ResyncInput) -> SyncFunctionInput {
        let id = database.syncFunctions.documentID(standing.id, legacy: standing.record.unifiedID, in: standing.collection)
        return SyncFunctionInput(
            document: ScriptedDocument.written(id, leaf.revision, leaf.isDeleted, leaf.body?.properties ?? []))
    }
}

/// What a sync function says of a document as it stands.
struct ResyncResult: Sendable {
    /// Whose function has spoken.
    let collection: CollectionKey

    /// `nil` if the function refuses the winner, or fails on it.
    var winner: SyncFunctionResult?

    /// The channels of the branches that have lost; none of those that the function refuses.
    var losers: [RevisionID: Set<String>] = [:]
}
