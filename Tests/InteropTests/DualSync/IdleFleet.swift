import BLIP
import Documents

/// Clients of all generations that follow a bridge's changes and have received all of them.
final class IdleFleet {
    private var feeds: [RawSocket] = []
    private var clients: [RawBLIP] = []

    /// A quarter are 1.x clients, half of these with long polls; the others are 2.x, 3.x and 4.x clients.
    init(of count: Int, at bridge: RunningBridge, through port: Int) async throws {
        let end = try JSONValue(try await bridge.ask("GET", "/shop/_changes").body)["last_seq"]?.string ?? "0"
        for index in 0..<count {
            switch index % 4 {
            case 0: try await follow(port, since: end, isLongpoll: index % 8 == 0)
            case 1: try await connect(bridge, port, "BLIP_3+CBMobile_2", collection: nil)
            case 2: try await connect(bridge, port, "BLIP_3+CBMobile_3", collection: "_default")
            default: try await connect(bridge, port, "BLIP_3+CBMobile_4", collection: "_default")
            }
        }
    }

    private func follow(_ port: Int, since: String, isLongpoll: Bool) async throws {
        let socket = try RawSocket(port: port)
        let feed = isLongpoll ? "longpoll" : "continuous"
        try await socket.send("GET /shop/_changes?feed=\(feed)&since=\(since)&heartbeat=300000 HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await socket.read(until: "\r\n\r\n")
        feeds.append(socket)
    }

    private func connect(_ bridge: RunningBridge, _ port: Int, _ subprotocol: String, collection: String?) async throws {
        let client = try await RawBLIP(bridge, subprotocol, port: port)
        var properties: BLIPProperties = ["continuous": "true"]
        if let collection {
            properties.add("collection", "0")
            _ = try await client.ask(
                "getCollections", ["uuid": "00000000-0000-0000-0000-000000000000"],
                "{\"checkpoint_ids\":[\"cp\"],\"collections\":[\"\(collection)\"]}")
        }
        _ = try await client.ask("subChanges", properties)
        while try await !receive(client).isEmpty {}
        clients.append(client)
    }

    /// The documents of the next `changes` message; the client requests none.
    private func receive(_ client: RawBLIP) async throws -> [String] {
        let request = try await client.request()
        let rows = try JSONValue(request.body).array ?? []
        if !request.noReply {
            let answer = "[\(rows.map { _ in "0" }.joined(separator: ","))]"
            try await client.reply(.reply(to: request.number, body: Array(answer.utf8)))
        }
        return rows.compactMap { $0.array?[1].string }
    }

    /// Waits until each client has received a document's row.
    func receive(of id: String) async throws {
        for feed in feeds { _ = try await feed.read(until: "\"\(id)\"") }
        for client in clients {
            while try await !receive(client).contains(id) {}
        }
    }
}
