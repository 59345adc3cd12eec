import Documents
import Scripting
import Storage

/// Asks collections' sync functions about writes, before their transaction: the writer never waits for a script.
struct SyncJudge: Sendable {
    let keyspace: Keyspace

    /// - Returns: for each write what was said; `nil` where no script has to be asked.
    func judge(_ writes: [RevisionWrite], verdicts: [[Int: Bool]]) async throws -> [Judgement?] {
        let functions = keyspace.database.syncFunctions
        guard !functions.isEmpty else { return Array(repeating: nil, count: writes.count) }
        let keyspace = keyspace
        let cases = try await keyspace.store.read { snapshot in
            let reader = SyncCaseReader(
                keyspace: keyspace, functions: functions, snapshot: snapshot, rights: try keyspace.rights(in: snapshot))
            return try writes.enumerated().map { try reader.read($1, verdicts: verdicts[$0]) }
        }
        return try await answer(cases, functions)
    }

    /// Asks each function about all its cases at once.
    private func answer(_ cases: [SyncCase?], _ functions: SyncFunctionTable) async throws -> [Judgement?] {
        var judgements = [Judgement?](repeating: nil, count: cases.count)
        let byCollection = Dictionary(grouping: cases.indices.filter { cases[$0] != nil }) { cases[$0]?.collection }
        for (collection, indices) in byCollection {
            guard let collection, let function = functions[collection] else { continue }
            let asked = indices.compactMap { cases[$0] }
            let inputs = asked.flatMap { [$0.revision] + ($0.winner.map { [$0] } ?? []) }
            var answers = try await keyspace.database.scripts.call(function, each: inputs).map(Self.verdict).makeIterator()
            for (index, asked) in zip(indices, asked) {
                guard let revision = answers.next() else { break }
                judgements[index] = Judgement(
                    collection: collection, function: functions.fingerprint(collection), base: asked.base, revision: revision,
                    winner: asked.winner == nil ? nil : answers.next())
            }
        }
        return judgements
    }

    /// What a function's answer means for the write; its failure fails this write alone.
    static func verdict(_ answer: Result<SyncFunctionResult, ScriptError>) -> Result<SyncVerdict, GatewayError> {
        switch answer {
        case .success(let result):
            if let rejection = result.rejection {
                return .failure(GatewayError(rejection.status == 401 ? .loginWanted : .forbidden, rejection.message))
            }
            let expiry = result.expiry.flatMap { DocumentExpiry(seconds: $0, now: Timestamp.now) }
            return .success(SyncVerdict(channels: result.channels, access: result.access, roles: result.roles, expiry: expiry))
        case .failure(let error):
            // Its own text may quote what the writer must not read: it is for the log.
            let rejection = SyncFunctionResult.Rejection(error)
            return .failure(GatewayError(rejection.status == 503 ? .unavailable : .script, rejection.message, cause: error))
        }
    }
}
