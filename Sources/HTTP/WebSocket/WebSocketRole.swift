/// Which side of a WebSocket this is: what clients send is masked, what servers send is not.
enum WebSocketRole: Sendable {
    case client, server
}
