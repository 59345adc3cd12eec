import Access
import Documents
import Scripting
import Storage

/// Asks collections' sync functions about writes, before their transaction: the writer never waits for a script.
struct SyncFunctionRunner: Sendable {
    let keyspace: Keyspace

    /// - Returns: for each write what was said; `nil` where no script has to be asked.
    func judge(_ writes: [RevisionWrite], verdicts: [[Int: Bool]]) async throws -> WriteSyncResults {
        let functions = keyspace.database.syncFunctions
        guard !functions.isEmpty else { return WriteSyncResults(Array(repeating: nil, count: writes.count), for: nil) }
        let keyspace = keyspace
        let (cases, rights) = try await keyspace.store.read { snapshot in
            let rights = try keyspace.rights(in: snapshot)
            let reader = SyncFunctionCallReader(keyspace: keyspace, functions: functions, snapshot: snapshot, rights: rights)
            return (try writes.enumerated().map { try reader.read($1, verdicts: verdicts[$0]) }, rights)
        }
        return WriteSyncResults(try await answer(cases, functions, isUser: !rights.isAdministrator), for: rights)
    }

    /// One question to the function of a collection.
    private struct Question: Sendable {
        enum Subject: Sendable {
            case revision, winner, wanted
        }

        let index: Int
        let subject: Subject
        let collection: CollectionKey
        let input: SyncFunctionInput
    }

    /// Asks each function about all its cases at once.
    ///
    /// - Parameter isUser: whether a user writes. His write is refused if the branch is that wins by it; from an administrator, as whom replications
    ///   write, it is taken, and the branch is in no channel.
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
        var judgements = cases.map { $0.map { WriteSyncResult(of: $0, by: functions) } }
        for (collection, questions) in Dictionary(grouping: questions, by: \.collection) {
            guard let function = functions[collection] else { continue }
            let answers = try await keyspace.database.scripts.call(function, each: questions.map(\.input)).map(Self.verdict)
            for (question, answer) in zip(questions, answers) {
                switch question.subject {
                case .revision: judgements[question.index]?.revision = answer
                case .winner:
                    judgements[question.index]?.winner = answer
                    if isUser, case .failure = answer { judgements[question.index]?.revision = answer }
                case .wanted: judgements[question.index]?.wanted?.answer = answer
                }
            }
        }
        return judgements
    }

    /// What a function's answer means for the write; its failure fails this write alone.
    static func verdict(_ answer: Result<SyncFunctionOutput, ScriptError>) -> Result<SyncFunctionResult, GatewayError> {
        switch answer {
        case .success(let result):
            if let rejection = result.rejection {
                return .failure(GatewayError(rejection.status == 401 ? .loginWanted : .forbidden, rejection.message))
            }
            let expiry = result.expiry.flatMap { DocumentExpiry(seconds: $0, now: Timestamp.now) }
            return .success(SyncFunctionResult(channels: result.channels, access: result.access, roles: result.roles, expiry: expiry))
        case .failure(let error):
            // Its own text may quote what the writer must not read: it is for the log.
            let rejection = SyncFunctionOutput.Rejection(error)
            return .failure(GatewayError(rejection.status == 503 ? .unavailable : .script, rejection.message, cause: error))
        }
    }
}
