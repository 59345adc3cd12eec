import Documents
import Gateway
import HTTPTypes
import HummingbirdCore

/// `_purge`: forgets documents as if they had never been. Clients hear nothing of it.
enum PurgeEndpoint {
    private static let maximumCount = 10_000

    /// `{"id":["*"]}`, as all revisions are meant; others are passed over, as in Sync Gateway.
    static func purge(_ call: DatabaseCall) async throws -> Response {
        guard let members = try await call.optionalJSON()?.members else {
            throw AdminError(.badRequest, "_purge document ID's must be passed as a JSON")
        }
        guard members.count <= maximumCount else { throw AdminError(.contentTooLarge, "Purge at most \(maximumCount) documents at once") }
        let lease = try call.online()
        let ids = members.filter { $0.value.array == [.string("*")] }.map(\.key)
        let purged = try await call.keyspace(lease).purge(ids)
        return SessionAnswer.answer(
            .object([JSONMember("purged", .object(purged.map { JSONMember($0, .array([.string("*")])) }))]))
    }
}
