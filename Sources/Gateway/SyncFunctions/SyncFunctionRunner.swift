import Access
import Documents
import Scripting
import Storage

/// Evaluates collections' sync functions for writes, before their transaction, so the writer never waits for a script.
struct SyncFunctionRunner: Sendable {
    let keyspace: Keyspace

    /// - Returns: the result for each write; `nil` where no script is needed.
    func evaluate(_ writes: [RevisionWrite], predicateResults: [[Int: Bool]]) async throws -> WriteSyncResults {
        let functions = keyspace.database.syncFunctions
        guard !functions.isEmpty else { return WriteSyncResults(Array(repeating: nil, count: writes.count), for: nil) }
        let keyspace = keyspace
        let (cases, rights) = try await keyspace.store.read { snapshot in
            let rights = try keyspace.rights(in: snapshot)
            let reader = SyncFunctionCallReader(keyspace: keyspace, functions: functions, snapshot: snapshot, rights: rights)
            let cases = try writes.indices.map { index in
                if index.isMultiple(of: Keyspace.announcedAtOnce) {
                    let next = writes[index...].prefix(Keyspace.announcedAtOnce)
                    try keyspace.announceLookups(of: next, to: snapshot, with: [.bodies, .versions])
                }
                return try reader.read(writes[index], predicateResults: predicateResults[index])
            }
            return (cases, rights)
        }
        return WriteSyncResults(try await answer(cases, functions, isUser: !rights.isAdministrator), for: rights)
    }

    /// One call of a collection's function.
    private struct Question: Sendable {
        enum Subject: Sendable {
            case revision, winner, wanted
        }

        let index: Int
        let subject: Subject
        let collection: CollectionKey
        let input: SyncFunctionInput
    }

    /// Calls each function once for all of its inputs.
    ///
    /// - Parameter isUser: whether a user writes. A user's write is refused if the function refuses the branch that becomes the winner. An
    ///   administrator's write, and a replication's, is accepted, and that branch is in no channel.
    private func answer(_ cases: [SyncFunctionCall?], _ functions: SyncFunctionTable, isUser: Bool) async throws -> [WriteSyncResult?] {
        var questions: [Question] = []
        for (index, asked) in cases.enumerated() {
            guard let asked else { continue }
            func ask(_ subject: Question.Subject, _ input: SyncFunctionInput?, _ collection: CollectionKey) {
                if let input { questions.append(Question(index: index, subject: subject, collection: collection, input: input)) }
            }
            ask(.revision, asked.revision, asked.collection)
            ask(.winner, asked.winner, asked.collection)
            if let wanted = asked.wanted { ask(.wanted, wanted.input, wanted.collection) }
        }
        var results = cases.map { $0.map { WriteSyncResult(of: $0, by: functions) } }
        for (collection, questions) in Dictionary(grouping: questions, by: \.collection) {
            guard let function = functions[collection] else { continue }
            let answers = try await keyspace.database.scripts.call(function, each: questions.map(\.input)).map(Self.result)
            for (question, answer) in zip(questions, answers) {
                switch question.subject {
                case .revision: results[question.index]?.revision = answer
                case .winner:
                    results[question.index]?.winner = answer
                    if isUser, case .failure = answer { results[question.index]?.revision = answer }
                case .wanted: results[question.index]?.wanted?.answer = answer
                }
            }
        }
        return results
    }

    /// Translates a function's output; an error fails only this write.
    static func result(_ answer: Result<SyncFunctionOutput, ScriptError>) -> Result<SyncFunctionResult, GatewayError> {
        switch answer {
        case .success(let result):
            if let rejection = result.rejection {
                return .failure(GatewayError(rejection.status == 401 ? .loginWanted : .forbidden, rejection.message))
            }
            let expiry = result.expiry.flatMap { DocumentExpiry(seconds: $0, now: Timestamp.now) }
            return .success(SyncFunctionResult(channels: result.channels, access: result.access, roles: result.roles, expiry: expiry))
        case .failure(let error):
            // The error's own text may quote data that the writer must not read: it is for the log only.
            let rejection = SyncFunctionOutput.Rejection(error)
            return .failure(GatewayError(rejection.status == 503 ? .unavailable : .script, rejection.message, cause: error))
        }
    }
}
