import Documents
import Testing

@Suite("Feeds over a raw socket")
struct RawFeedTests {
    @Test("A longpoll sends its head and opening at once and newlines at each heartbeat, and ends with a write")
    func longpoll() async throws {
        try await RunningBridge.run { bridge in
            let socket = try bridge.connect()
            try await socket.send("GET /shop/_changes?feed=longpoll&heartbeat=1000&timeout=60000&since=0 HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = try await socket.read(until: "\r\n\r\n")
            #expect(head.hasPrefix("HTTP/1.1 200"))
            var body = try #require(try await socket.chunk())
            #expect(String(decoding: body, as: UTF8.self).hasPrefix("{\"results\":["))
            let beat = try #require(try await socket.chunk())
            #expect(beat == Array("\n".utf8))
            body += beat
            #expect(try await bridge.ask("PUT", "/shop/woken", "{}").status == 201)
            while let chunk = try await socket.chunk() { body += chunk }
            let changes = try JSONValue(body)
            #expect(changes["results"]?.array?.first?["id"]?.string == "woken")
            #expect(changes["last_seq"] != nil)
            #expect(try await socket.ask("GET", "/").status == 200)
            socket.cut()
        }
    }

    @Test("A longpoll that times out is complete JSON")
    func timeout() async throws {
        try await RunningBridge.run { bridge in
            let answer = try await bridge.ask("GET", "/shop/_changes?feed=longpoll&timeout=200")
            #expect(answer.status == 200)
            #expect(try answer.json["results"]?.array?.isEmpty == true)
            #expect(try answer.json["last_seq"] != nil)
        }
    }

    @Test("A continuous feed sends a line for each write, until its client leaves")
    func continuous() async throws {
        try await RunningBridge.run { bridge in
            let socket = try bridge.connect()
            try await socket.send("GET /shop/_changes?feed=continuous&heartbeat=30000 HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await socket.read(until: "\r\n\r\n")
            for id in ["a", "b", "c"] {
                #expect(try await bridge.ask("PUT", "/shop/\(id)", "{}").status == 201)
                let line = try await socket.read(until: "\"id\":\"\(id)\"")
                #expect(line.contains("\"seq\""))
            }
            socket.cut()
            #expect(try await bridge.ask("GET", "/").status == 200)
        }
    }

    @Test("A feed of active documents has those that are deleted while it is open", arguments: ["continuous", "longpoll"])
    func activeOnly(_ feed: String) async throws {
        try await RunningBridge.run { bridge in
            let written = try await bridge.ask("PUT", "/shop/kept", "{}")
            #expect(try await bridge.ask("PUT", "/shop/gone", #"{"_deleted":true}"#).status == 201)
            let since = feed == "longpoll" ? try await bridge.ask("GET", "/shop/_changes").json["last_seq"]?.string ?? "" : "0"
            let socket = try bridge.connect()
            defer { socket.cut() }
            let query = "feed=\(feed)&active_only=true&since=\(since)&heartbeat=30000"
            try await socket.send("GET /shop/_changes?\(query) HTTP/1.1\r\nHost: a\r\n\r\n")
            let opening = try await socket.read(until: feed == "longpoll" ? "results" : "\"id\":\"kept\"")
            #expect(!opening.contains("gone"))
            let revision = try #require(try written.json["rev"]?.string)
            #expect(try await bridge.ask("DELETE", "/shop/kept?rev=\(revision)").status == 200)
            let line = try await socket.read(until: "\"deleted\":true")
            #expect(line.contains("\"id\":\"kept\"") && !line.contains("gone"))
        }
    }
}
