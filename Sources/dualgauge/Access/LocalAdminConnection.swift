import HTTPTypes
import Server

/// The endpoints on a store, within this process.
struct LocalAdminConnection: AdminConnection {
    let admin: LocalAdmin

    func send(_ method: String, _ path: String, _ body: [UInt8]) async throws -> AdminReply {
        let answer = try await admin.send(HTTPRequest.Method(rawValue: method) ?? .get, path, body: body)
        return AdminReply(status: answer.status, body: answer.body)
    }
}
