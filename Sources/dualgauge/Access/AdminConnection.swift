import Documents
import Foundation

/// A way to send requests to the admin port's endpoints.
protocol AdminConnection: Sendable {
    /// - Parameter path: behind the database.
    func send(_ method: String, _ path: String, _ body: [UInt8]) async throws -> AdminReply
}

/// An answer.
struct AdminReply: Sendable {
    let status: Int
    let body: [UInt8]
}

extension AdminConnection {
    /// Sends a request and reads its answer, `null` if that is empty.
    ///
    /// - Throws: ``AdminRefusal`` if it was refused.
    @discardableResult
    func ask(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> (status: Int, json: JSONValue) {
        var bytes: [UInt8] = []
        body?.append(to: &bytes)
        let reply = try await send(method, path, bytes)
        let json = reply.body.isEmpty ? JSONValue.null : (try? JSONValue(reply.body)) ?? .null
        guard (200..<300).contains(reply.status) else {
            throw AdminRefusal(status: reply.status, reason: json["reason"]?.string ?? "")
        }
        return (reply.status, json)
    }

    /// A name as a segment of a path.
    static func segment(_ name: String) -> String {
        let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~@")
        return name.addingPercentEncoding(withAllowedCharacters: allowed) ?? name
    }
}
