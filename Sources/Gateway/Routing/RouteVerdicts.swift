import Documents
import Scripting
import Storage

/// What the routes' JavaScript predicates say of documents that are about to be written.
///
/// They run before the transaction, all documents of a batch in one go: the writer never waits for a script.
struct RouteVerdicts: Sendable {
    private let byWrite: [[Int: Bool]]

    static func evaluate(_ writes: [RevisionWrite], in keyspace: Keyspace) async throws -> RouteVerdicts {
        let routes = keyspace.database.routes
        guard keyspace.scope == .unified || keyspace.scope == .collection(.default), routes.needsScripts else {
            return RouteVerdicts(byWrite: [])
        }
        var byWrite = [[Int: Bool]](repeating: [:], count: writes.count)
        for (rule, predicate) in routes.predicates.enumerated() {
            guard let predicate else { continue }
            let subjects = writes.indices.filter { !writes[$0].isDeleted }
            let results = try await keyspace.database.scripts.call(predicate, each: subjects.map { writes[$0].body })
            for (index, result) in zip(subjects, results) {
                // A predicate that fails for a document does not want it; the engine has counted the failure.
                byWrite[index][rule] = (try? result.get()) ?? false
            }
        }
        return RouteVerdicts(byWrite: byWrite)
    }

    subscript(index: Int) -> [Int: Bool] {
        byWrite.isEmpty ? [:] : byWrite[index]
    }
}
