import Documents
import Foundation
import Gateway
import HTTPTypes
import HummingbirdCore
import ReplicationService

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

/// `_compact`: deletes attachments that nothing names any more. Bodies of old revisions go by themselves, and tombstones stay, because a
/// device that comes back after years has to hear of them.
enum CompactionEndpoint {
    static func describe(_ call: DatabaseCall) throws -> Response {
        _ = try call.running()
        return answer(started: "0001-01-01T00:00:00Z", attachments: 0)
    }

    /// Answers when it is done, in the words of 2.x and of 3.x.
    static func run(_ call: DatabaseCall) async throws -> Response {
        if try call.action() == .stop { throw AdminError(.badRequest, "Database compact is not running") }
        let lease = try call.online()
        let started = Timestamp.rfc3339(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))
        return answer(started: started, attachments: try await lease.running.database.collectAttachments())
    }

    private static func answer(started: String, attachments: Int) -> Response {
        SessionAnswer.answer(
            .object([
                JSONMember("revs", .number("0")), JSONMember("status", .string("completed")), JSONMember("start_time", .string(started)),
                JSONMember("last_error", .string("")), JSONMember("docs_purged", .number("0")),
                JSONMember("attachments", .number(String(attachments))),
            ]))
    }
}
