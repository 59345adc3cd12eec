/// Two WebSockets joined in memory, for endpoints within one process and for tests.
public enum WebSocketPair {
    /// - Parameters:
    ///   - subprotocol: The protocol that both sides have agreed on.
    ///   - capacity: How many bytes a side may be ahead of the other before its `send` waits.
    public static func make(
        subprotocol: String? = nil, capacity: Int = 256 * 1024
    ) -> (client: any WebSocketConnection, server: any WebSocketConnection) {
        let client = MemoryWebSocket(subprotocol: subprotocol, capacity: capacity)
        let server = MemoryWebSocket(subprotocol: subprotocol, capacity: capacity)
        client.join(server)
        server.join(client)
        return (client, server)
    }
}
