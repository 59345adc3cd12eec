import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore

/// `_explain/{id}`: one document in every view, for those who look for a fault.
enum ExplanationEndpoint {
    /// The ID is that of the unified keyspace; with `?collection=scope.name` it is the collection's.
    static func get(_ call: AdminCall) async throws -> Response {
        let keyspace = try keyspace(call)
        guard let explanation = try await keyspace.explain(call.parameters.first ?? "") else { throw AdminError(.notFound, "missing") }
        return SessionAnswer.answer(.object(ExplanationOutput(explanation).members))
    }

    private static func keyspace(_ call: AdminCall) throws(AdminError) -> Keyspace {
        guard let text = call.query["collection"] else { return call.database.unified }
        guard let name = CollectionName(text), let keyspace = call.database.keyspace(name) else {
            throw AdminError(.notFound, "keyspace \(call.database.name).\(text) not found")
        }
        return keyspace
    }
}
