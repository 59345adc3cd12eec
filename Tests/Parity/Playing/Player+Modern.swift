import BLIP
import Documents
import HTTP
import HTTPTypes

extension Player {
    /// A pull of a 2.x+ client, to the end of the feed.
    func pullModern(_ client: Client, _ observation: inout Observation) async throws {
        guard let socket = try await connect(client.user, &observation) else { return }
        let pull = ModernPull(client, devices[client.name] ?? Device(), names: names)
        try await pull.begin(over: socket)
        _ = try await within(exchange.server.kind.longestSilence, dropping: socket) { try await pull.listen(over: socket) }
        socket.drop()
        devices[client.name] = pull.device
        observation.rows = pull.news()
        if let refusal = pull.refusal { observation.statuses.append(refusal) }
    }

    /// - Returns: `nil` for a refused connection.
    func connect(_ user: String, _ observation: inout Observation) async throws -> (any WebSocketConnection)? {
        do {
            return try await exchange.server.connect(
                ServerRequest(path: "/\(database)/_blipsync", headers: exchange.login(user)), subprotocols: history.dialect.subprotocols)
        } catch let refusal as WebSocketRefusal {
            observation.statuses.append(Int(refusal.response.status.code))
            return nil
        }
    }

    /// The timeout for a server that does not reply: then the connection ends, and the received rows count.
    func within<Value>(
        _ time: Duration, dropping socket: any WebSocketConnection, _ body: () async throws -> Value
    ) async throws -> Value {
        let end = Task {
            try await Task.sleep(for: time)
            socket.drop()
        }
        defer { end.cancel() }
        return try await body()
    }
}
