import HTTPTypes
import Logging
import Server

/// The endpoints on a store, within this process.
struct LocalAdminConnection: AdminConnection {
    private let admin: LocalAdmin

    /// Opens a store, and closes it after `body`.
    static func during<Value: Sendable>(
        store: String, _ logger: Logger, _ body: (any AdminConnection) async throws -> Value
    ) async throws -> Value {
        let local = try await LocalAdmin.open(store: store, logger: logger)
        do {
            let value = try await body(LocalAdminConnection(admin: local))
            try await local.close()
            return value
        } catch {
            try? await local.close()
            throw error
        }
    }

    func send(_ method: String, _ path: String, _ body: [UInt8]) async throws -> AdminReply {
        let answer = try await admin.send(HTTPRequest.Method(rawValue: method) ?? .get, path, body: body)
        return AdminReply(status: answer.status, body: answer.body)
    }
}
