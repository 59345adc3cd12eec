/// A socket whose bytes are counted.
struct CountedMessages: MessageSocket {
    let socket: any MessageSocket
    let traffic: TrafficCounter

    func receive() async throws -> [[UInt8]]? {
        let messages = try await socket.receive()
        if let messages { traffic.count(messages) }
        return messages
    }

    func send(_ messages: [[UInt8]]) async throws {
        try await socket.send(messages)
        traffic.count(messages)
    }

    func close(code: UInt16, reason: String) async { await socket.close(code: code, reason: reason) }
    func drop() async { await socket.drop() }
}
