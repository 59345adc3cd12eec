import Documents
import Foundation
import Gateway
import HTTPTypes
import HummingbirdCore
import ReplicationService

/// `_purge`: removes documents without tombstones. Clients are not notified.
enum PurgeEndpoint {
    private static let maximumCount = 10_000

    /// Purges the documents of `{"id":["*"]}`. As in Sync Gateway, `["*"]` means all revisions, and other values are ignored.
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

/// `_compact`: deletes unreferenced attachments.
///
/// Bodies of old revisions are deleted automatically. Tombstones stay, because a device may return after years and has to receive them.
enum CompactionEndpoint {
    static func describe(_ call: DatabaseCall) throws -> Response {
        _ = try call.running()
        return answer(started: "0001-01-01T00:00:00Z", attachments: 0)
    }

    /// Replies when it is done, with the members of both 2.x and 3.x.
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
