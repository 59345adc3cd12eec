import BLIP
import Documents
import Testing

/// Every kind of feed that goes on, against everybody: what is written while it runs.
@Suite("Who is told what by a feed that goes on", .serialized)
struct FeedMatrixTests {
    enum Feed: String, CaseIterable, Sendable {
        case longpoll, continuous, webSocket, subChanges, collectionSubChanges
    }

    @Test("A feed brings the document to those who see it, and nothing of it to others", arguments: Feed.allCases)
    func live(feed: Feed) async throws {
        try await MatrixWorld.run(guest: true) { (world) async throws in
            let callers = MatrixCaller.allCases.filter { !$0.isShutOut }
            for (number, caller) in callers.enumerated() {
                let since = try #require(try await world.bridge.admin("GET", "/shop/").json["update_seq"]?.int)
                let follower = try await Follower(feed, caller, since: since, world)
                defer { follower.cut() }
                let hidden = try await world.documents(number)
                // Everybody sees the second, so whoever has not heard of the first by then never will.
                let body = #"{"channels":["!"]}"#
                #expect(try await world.bridge.admin("PUT", "/shop/public\(number)", body).status == 201)
                let heard = try await follower.hear(until: "public\(number)")
                #expect(heard.contains(hidden.hidden) == caller.sees, "\(feed) by \(caller): \(heard)")
                #expect(heard.contains(hidden.revision) == caller.sees, "\(feed) by \(caller): \(heard)")
            }
        }
    }

    @Test("Who is shut out gets none", arguments: [MatrixCaller.noCredentials, .wrongPassword, .expiredSession])
    func shutOut(caller: MatrixCaller) async throws {
        try await MatrixWorld.run(guest: caller != .noCredentials) { (world) async throws in
            for path in ["_changes?feed=longpoll", "_changes?feed=continuous", "_changes?feed=websocket"] {
                #expect(try await world.ask(caller, "GET", "/shop/\(path)").status == 401)
            }
            let socket = try world.bridge.connect()
            defer { socket.cut() }
            try await socket.send(RawWebSocket.request("/shop/_changes?feed=websocket", subprotocols: "x", headers: world.headers(caller)))
            #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 401 "))
        }
    }
}

/// Somebody who follows a feed.
private enum Follower {
    /// A long poll is asked again until it has brought what is waited for.
    case polling(MatrixWorld, MatrixCaller, since: Int)
    case lines(RawSocket)
    case rows(RawWebSocket)
    case changes(RawBLIP)

    init(_ feed: FeedMatrixTests.Feed, _ caller: MatrixCaller, since: Int, _ world: MatrixWorld) async throws {
        let headers = world.headers(caller)
        switch feed {
        case .longpoll: self = .polling(world, caller, since: since)
        case .continuous:
            let socket = try RawSocket(port: world.port(caller))
            try await socket.send("GET /shop/_changes?feed=continuous&since=\(since) HTTP/1.1\r\nHost: a\r\n\(headers)\r\n")
            _ = try await socket.read(until: "\r\n\r\n")
            self = .lines(socket)
        case .webSocket:
            let socket = try RawSocket(port: world.port(caller))
            try await socket.send(RawWebSocket.request("/shop/_changes?feed=websocket", subprotocols: "x", headers: headers))
            guard try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 ") else {
                throw RawSocket.Failure(message: "no WebSocket")
            }
            let feed = RawWebSocket(socket)
            try await feed.send(Array(#"{"since":\#(since)}"#.utf8))
            self = .rows(feed)
        case .subChanges, .collectionSubChanges:
            let client = try await RawBLIP(world.bridge, headers: headers, port: world.port(caller))
            var properties: BLIPProperties = ["continuous": "true", "since": "\(since)"]
            if feed == .collectionSubChanges {
                _ = try await client.ask("getCollections", [:], #"{"checkpoint_ids":["cp"],"collections":["_default._default"]}"#)
                properties.add("collection", "0")
            }
            _ = try await client.ask("subChanges", properties)
            self = .changes(client)
        }
    }

    /// Everything that comes up to the row of a document.
    func hear(until id: String) async throws -> String {
        switch self {
        case .polling(let world, let caller, var since):
            var heard = ""
            while !heard.contains("\"\(id)\"") {
                let answer = try await world.ask(caller, "GET", "/shop/_changes?feed=longpoll&since=\(since)")
                heard += answer.text
                since = try answer.json["last_seq"]?.string.flatMap { Int($0) } ?? answer.json["last_seq"]?.int ?? since
            }
            return heard
        case .lines(let socket):
            return try await socket.read(until: "\"\(id)\"")
        case .rows(let socket):
            var heard = ""
            while !heard.contains("\"\(id)\""), let frame = try await socket.next() {
                heard += String(decoding: frame.payload, as: UTF8.self)
            }
            return heard
        case .changes(let client):
            var heard = ""
            while !heard.contains("\"\(id)\"") {
                let request = try await client.request()
                heard += String(decoding: request.body, as: UTF8.self)
                // Nothing is wanted.
                if !request.noReply { try await client.reply(.reply(to: request.number, body: Array("[]".utf8))) }
            }
            return heard
        }
    }

    func cut() {
        switch self {
        case .polling: break
        case .lines(let socket): socket.cut()
        case .rows(let socket): socket.socket.cut()
        case .changes(let client): client.socket.socket.cut()
        }
    }
}
