import Documents
import HTTPTypes

/// The transport of a 1.x client's requests.
struct LegacyWire {
    let line: Line

    /// - Returns: The status and the JSON of the reply.
    /// - Throws: ``Disconnected``.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: [UInt8] = [], type: String = "application/json"
    ) async throws -> (status: Int, json: JSONValue) {
        let fate = try await line.next()
        if fate == .lost { throw Disconnected() }
        var answer = try await respond(method, path, body, type)
        if fate == .repeated { answer = try await respond(method, path, body, type) }
        guard fate != .unanswered, !line.isDown else { throw Disconnected() }
        // The client waits, and tries again.
        if line.isCutOff, answer.status == 503 { throw Disconnected() }
        WireLog.record("\(method) \(path) \(WireLog.text(body)) -> \(answer.status) \(WireLog.text(answer.body))")
        return (answer.status, answer.body.isEmpty ? .null : try JSONValue(answer.body))
    }

    /// The rows of a WebSocket feed until it is caught up.
    ///
    /// - Parameter options: The client's first message.
    func follow(_ options: String) async throws -> [JSONValue] {
        let fate = try await line.next()
        if fate == .lost { throw Disconnected() }
        let rows: [JSONValue]
        do {
            rows = try await line.responder().follow(options)
        } catch {
            throw line.isDown || line.isCutOff ? Disconnected() : error
        }
        guard fate == .delivered || fate == .repeated, !line.isDown else { throw Disconnected() }
        return rows
    }

    private func respond(_ method: HTTPRequest.Method, _ path: String, _ body: [UInt8], _ type: String) async throws -> Answer {
        var headers: HTTPFields = [.accept: "application/json", .userAgent: "CouchbaseLite/1.4.0-0 (simulated)"]
        if !body.isEmpty { headers[.contentType] = type }
        do {
            return try await line.responder().respond(
                method, "/\(line.server.name)/\(path)", headers: headers, body: body)
        } catch {
            throw line.isDown || line.isCutOff ? Disconnected() : error
        }
    }
}
