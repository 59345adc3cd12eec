import Access
import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import ReplicationService
import Storage

/// `_user/{name}/_documents`: the documents that a user sees, in the order of their IDs.
enum SeenDocumentsEndpoint {
    /// The default and the largest `limit`.
    private static let page = 100
    private static let mostRows = 1_000

    /// The most documents that one read transaction examines, so that a user who sees little holds up nobody.
    private static let scan = 2_000

    private struct Row: Sendable {
        let id: String
        let revision: String
    }

    /// `?limit=`; `?startkey=`, the member `next` of the reply before. The IDs are those of the unified keyspace, or with
    /// `?collection=scope.name` those of the collection.
    static func list(_ call: AdminCall) async throws -> Response {
        let limit = try call.query.number("limit", in: 1...mostRows) ?? page
        let keyspace = try ExplanationEndpoint.keyspace(call).seen(by: call.name == User.guestName ? .guest : .user(call.name))
        var (rows, range, plan) = ([Row](), ListRange(from: call.query["startkey"]), ListEnd.Plan.open)
        var next: String?
        do {
            repeat {
                // One more row than wanted shows whether there is more, and the place to go on at may be listed again.
                let (read, end) = try await piece(range, limit + 2 - rows.count, plan, in: keyspace)
                let isAgain = rows.last.map { last in read.first?.id.utf8.elementsEqual(last.id.utf8) == true } ?? false
                rows += read.dropFirst(isAgain ? 1 : 0)
                (next, plan) = (end.next, end.plan)
                range.from = next
            } while next != nil && rows.count <= limit
        } catch let error as GatewayError where error.code == .unauthorized {
            throw AdminError(.notFound, "There is no such user, or the user is disabled")
        }
        if rows.count > limit {
            next = rows[limit].id
            rows.removeSubrange(limit...)
        }
        return SessionAnswer.answer(
            .object([
                JSONMember("documents", .array(rows.map { document($0) })), JSONMember("next", next.map { .string($0) } ?? .null),
            ]))
    }

    private static func piece(
        _ range: ListRange, _ limit: Int, _ plan: ListEnd.Plan, in keyspace: Keyspace
    ) async throws -> ([Row], ListEnd) {
        try await keyspace.read { snapshot in
            var rows: [Row] = []
            let end = try snapshot.list(range, limit: limit, scan: scan, plan: plan) { row in
                rows.append(Row(id: row.id, revision: row.revision))
                return true
            }
            return (rows, end)
        }
    }

    private static func document(_ row: Row) -> JSONValue {
        .object([JSONMember("id", .string(row.id)), JSONMember("rev", .string(row.revision))])
    }
}
