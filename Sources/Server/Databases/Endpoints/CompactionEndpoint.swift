import Documents
import Foundation
import Gateway
import HTTPTypes
import HummingbirdCore

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
