import Gateway
import Storage

/// Reads many revisions in few snapshots, each bounded by count and bytes.
struct RevisionReader: Sendable {
    let keyspace: Keyspace
    let limits: LegacyLimits

    /// Answers the first of these queries, at least one of them: as many as one snapshot should hold.
    func read(_ queries: ArraySlice<RevisionQuery>) async throws -> [[Result<RevisionContent, LegacyError>]] {
        let queries = queries.prefix(limits.readBatch)
        let budget = limits.readBatchSize
        return try await keyspace.read { snapshot in
            var answers: [[Result<RevisionContent, LegacyError>]] = []
            answers.reserveCapacity(queries.count)
            var size = 0
            for query in queries {
                let answer = try query.answer(in: snapshot)
                for case .success(let content) in answer { size += content.body.properties.count + (content.body.attachments?.count ?? 0) }
                answers.append(answer)
                if size >= budget { break }
            }
            return answers
        }
    }
}
