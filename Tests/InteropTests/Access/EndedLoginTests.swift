import Documents
import Gateway
import Testing

@Suite("Connections end with their login", .timeLimit(.minutes(2)))
struct EndedLoginTests {
    enum Connection: String, CaseIterable, Sendable {
        case longpoll, continuous, webSocketFeed, blip
    }

    enum Ending: String, CaseIterable, Sendable {
        case newPassword, allSessions, ownSession, logout
    }

    /// Opens a connection, and waits until the bridge serves it.
    private func open(_ connection: Connection, _ headers: String, at bridge: RunningBridge) async throws -> RawSocket {
        let socket = try bridge.connect()
        switch connection {
        case .longpoll, .continuous:
            try await socket.send(
                "GET /shop/_changes?feed=\(connection.rawValue)&since=0&heartbeat=1000 HTTP/1.1\r\nHost: a\r\n\(headers)\r\n")
        case .webSocketFeed:
            try await socket.send(RawWebSocket.request("/shop/_changes?feed=websocket", headers: headers))
        case .blip:
            try await socket.send(RawWebSocket.request(headers: headers))
        }
        let status = connection == .webSocketFeed || connection == .blip ? 101 : 200
        #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 \(status)"))
        if connection == .webSocketFeed {
            try await socket.send(RawWebSocket.frame(0x81, Array("{}".utf8)))
            _ = try await socket.read(count: 4)
        }
        return socket
    }

    @Test("Each connection of the ended login ends, and other connections go on", arguments: Connection.allCases, Ending.allCases)
    func ends(_ connection: Connection, _ ending: Ending) async throws {
        try await RunningBridge.run({ $0.guest = GuestConfiguration() }) { (bridge) async throws in
            for name in ["alice", "bob"] {
                #expect(try await bridge.admin("PUT", "/shop/_user/\(name)", #"{"password":"one","admin_channels":["a"]}"#).status == 201)
            }
            let login = try await bridge.ask("POST", "/shop/_session", #"{"name":"alice","password":"one"}"#)
            let cookie = String((login["Set-Cookie"] ?? "").prefix { $0 != ";" })
            let byCookie = try await open(connection, "Cookie: \(cookie)\r\n", at: bridge)
            let byPassword = try await open(connection, basic("alice", "one"), at: bridge)
            let others = try await open(connection, basic("bob", "one"), at: bridge)
            let id = cookie.split(separator: "=").last.map(String.init) ?? ""
            switch ending {
            case .newPassword: _ = try await bridge.admin("PUT", "/shop/_user/alice", #"{"password":"two"}"#)
            case .allSessions: _ = try await bridge.admin("DELETE", "/shop/_user/alice/_session")
            case .ownSession: _ = try await bridge.admin("DELETE", "/shop/_session/\(id)")
            case .logout: _ = try await bridge.ask("DELETE", "/shop/_session", headers: "Cookie: \(cookie)\r\n")
            }
            try await expectEnd(of: byCookie, connection)
            if ending != .ownSession, ending != .logout { try await expectEnd(of: byPassword, connection) }
            // Other users' connections are still served.
            if connection == .continuous {
                #expect(try await bridge.admin("PUT", "/shop/news", #"{"channels":["a"]}"#).status == 201)
                _ = try await others.read(until: "news")
            }
            others.cut()
            byPassword.cut()
        }
    }

    private func expectEnd(of socket: RawSocket, _ connection: Connection) async throws {
        switch connection {
        // The reply is complete.
        case .longpoll, .continuous: while try await socket.chunk() != nil {}
        case .webSocketFeed, .blip: _ = try await RawWebSocket(socket).closeCode()
        }
    }
}
