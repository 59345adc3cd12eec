import BLIP
import Documents
import Gateway
import Testing

/// Feeds of a connected user whose access changes.
@Suite("Access that changes during a feed", .serialized)
struct AccessFeedTests {
    private static let anna = basic("anna", "pw1")

    private func feed(_ bridge: RunningBridge, _ query: String, headers: String = anna) async throws -> RawSocket {
        let socket = try bridge.connect()
        try await socket.send("GET /shop/_changes?\(query) HTTP/1.1\r\nHost: a\r\n\(headers)\r\n")
        #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        return socket
    }

    /// The next row of a continuous feed, as `id`, `id removed c`, with `again` where its sequence goes back.
    private func row(_ socket: RawSocket) async throws -> String {
        while true {
            let line = try await socket.read(until: "\n")
            guard line.hasPrefix("{") else { continue }
            return Self.describe(try JSONValue(Array(line.utf8)))
        }
    }

    private static func describe(_ row: JSONValue) -> String {
        var words = [row["id"]?.string ?? ""]
        if row["deleted"] != nil { words.append("deleted") }
        if let removed = row["removed"]?.array { words.append("removed \(removed.compactMap(\.string).joined(separator: ","))") }
        if row["seq"]?.string?.contains(":") == true, row["removed"] == nil { words.append("again") }
        return words.joined(separator: " ")
    }

    @Test("1.x continuous: a grant sends older documents, a loss and a document that leaves send removals")
    func legacyContinuous() async throws {
        try await RunningBridge.runGuarded { bridge in
            try await bridge.give([])
            for id in ["1", "2"] { try await bridge.write(id) }
            let socket = try await feed(bridge, "feed=continuous&heartbeat=30000")
            defer { socket.cut() }
            try await bridge.give(["c"])
            #expect(try await [row(socket), row(socket)] == ["1 again", "2 again"])
            try await bridge.write("3")
            #expect(try await row(socket) == "3")
            try await bridge.write("3", 2, #""elsewhere":true"#)
            #expect(try await row(socket) == "3 removed c")
            try await bridge.write("1", 2, deleted: true)
            #expect(try await row(socket) == "1 deleted removed c")
            try await bridge.give([])
            #expect(try await row(socket).hasPrefix("2 removed c"))
        }
    }

    @Test("1.x longpoll: a grant ends the wait")
    func legacyLongpoll() async throws {
        try await RunningBridge.runGuarded { bridge in
            try await bridge.give([])
            try await bridge.write("1")
            let since = try await bridge.ask("GET", "/shop/_changes", headers: Self.anna).json["last_seq"]?.string ?? ""
            let socket = try await feed(bridge, "feed=longpoll&heartbeat=30000&since=\(since)")
            defer { socket.cut() }
            try await bridge.give(["c"])
            var body: [UInt8] = []
            while let chunk = try await socket.chunk() { body += chunk }
            #expect(try JSONValue(body)["results"]?.array?.map(Self.describe) == ["1 again"])
        }
    }

    @Test("A position in a backfill is valid after the client's restart and after other changes")
    func restartedBackfill() async throws {
        try await RunningBridge.runGuarded { bridge in
            try await bridge.give([])
            for id in 1...5 { try await bridge.write("\(id)") }
            // Access from before the first client's read counts from the beginning.
            _ = try await bridge.ask("GET", "/shop/_changes", headers: Self.anna)
            try await bridge.give(["c"])
            let first = try await bridge.ask("GET", "/shop/_changes?limit=2", headers: Self.anna).json
            #expect(first["results"]?.array?.map(Self.describe) == ["1 again", "2 again"])
            let place = try #require(first["results"]?.array?.last?["seq"]?.string)
            #expect(first["last_seq"]?.string == place)
            try await bridge.write("4", 2)
            for encoded in [place, place.replacing(":", with: "%3A"), "%22\(place)%22"] {
                let rest = try await bridge.ask("GET", "/shop/_changes?since=\(encoded)", headers: Self.anna).json
                #expect(rest["results"]?.array?.map(Self.describe) == ["3 again", "5 again", "4"])
            }
            let blip = try await RawBLIP(bridge, headers: Self.anna)
            defer { blip.socket.socket.cut() }
            _ = try await blip.ask("subChanges", ["since": "\"\(place)\""])
            let rows = try JSONValue(try await blip.request().body).array ?? []
            #expect(rows.map { $0.array?[1].string } == ["3", "5", "4"])
            #expect(rows[0].array?[0].string?.hasPrefix(place.prefix { $0 != ":" }) == true)
        }
    }

    /// The next rows of a BLIP client, as `id` or `id flags`; the client requests all of them.
    private func rows(_ blip: RawBLIP) async throws -> [String] {
        while true {
            let request = try await blip.request()
            guard request.profile == "changes", let rows = try JSONValue(request.body).array, !rows.isEmpty else { continue }
            try await blip.reply(.reply(to: request.number, body: Array("[]".utf8)))
            return rows.compactMap { row in
                guard let row = row.array else { return nil }
                let flags = row.count > 3 ? " \(row[3].int.map { "\($0)" } ?? "true")" : ""
                return (row[1].string ?? "") + flags
            }
        }
    }

    private func pull(
        _ bridge: RunningBridge, _ subprotocol: String, revocations: Bool, of channel: String? = nil
    ) async throws -> RawBLIP {
        let blip = try await RawBLIP(bridge, subprotocol, headers: Self.anna)
        var properties: BLIPProperties = ["continuous": "true"]
        if let channel {
            properties.add("filter", "sync_gateway/bychannel")
            properties.add("channels", channel)
        }
        if revocations { properties.add("revocations", "true") }
        _ = try await blip.ask("subChanges", properties)
        return blip
    }

    @Test(
        "3.x and 4.x continuous, with revocations: rows have the flags 4, 5, 2 and 3; a grant starts a backfill",
        arguments: ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_4"])
    func modern3(subprotocol: String) async throws {
        try await RunningBridge.runGuarded { bridge in
            for id in ["1", "2", "3", "4"] { try await bridge.write(id) }
            let blip = try await pull(bridge, subprotocol, revocations: true)
            defer { blip.socket.socket.cut() }
            #expect(try await rows(blip) == ["1", "2", "3", "4"])
            try await bridge.write("1", 2, #""elsewhere":true"#)
            #expect(try await rows(blip) == ["1 4"])
            try await bridge.write("2", 2, deleted: true)
            #expect(try await rows(blip) == ["2 5"])
            try await bridge.give([])
            #expect(try await Set(rows(blip)).isSuperset(of: ["3 2", "4 2"]))
            try await bridge.give(["c"])
            #expect(try await rows(blip) == ["3", "4"])
        }
    }

    @Test(
        "A pull of some channels has no removals of documents that the user sees by other channels",
        arguments: ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_4"])
    func channelsAskedFor(subprotocol: String) async throws {
        try await RunningBridge.runGuarded { bridge in
            try await bridge.give(["c", "elsewhere"])
            for id in ["1", "2"] { try await bridge.write(id) }
            let blip = try await pull(bridge, subprotocol, revocations: true, of: "c")
            defer { blip.socket.socket.cut() }
            #expect(try await rows(blip) == ["1", "2"])
            try await bridge.write("1", 2, #""elsewhere":true"#)
            try await bridge.write("2", 2, deleted: true)
            #expect(try await rows(blip) == ["2 5"])
        }
    }

    @Test(
        "3.x and 4.x continuous, without revocations: the feed has deletions and grants, but no removals and revocations",
        arguments: ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_4"])
    func modern3WithoutRevocations(subprotocol: String) async throws {
        try await RunningBridge.runGuarded { bridge in
            for id in ["1", "2", "3"] { try await bridge.write(id) }
            let blip = try await pull(bridge, subprotocol, revocations: false)
            defer { blip.socket.socket.cut() }
            #expect(try await rows(blip) == ["1", "2", "3"])
            try await bridge.write("1", 2, #""elsewhere":true"#)
            try await bridge.write("2", 2, deleted: true)
            #expect(try await rows(blip) == ["2 5"])
            try await bridge.give([])
            try await bridge.give(["c"])
            #expect(try await rows(blip) == ["3"])
        }
    }

    @Test("2.x continuous: a removal is an ordinary row with `_removed` in its body; a loss has no row")
    func modern2() async throws {
        try await RunningBridge.runGuarded { bridge in
            for id in ["1", "2", "3"] { try await bridge.write(id) }
            let blip = try await pull(bridge, "BLIP_3+CBMobile_2", revocations: true)
            defer { blip.socket.socket.cut() }
            #expect(try await rows(blip) == ["1", "2", "3"])
            try await bridge.write("1", 2, #""elsewhere":true"#)
            var changes = try await blip.request()
            while changes.body == Array("null".utf8) { changes = try await blip.request() }
            #expect(String(decoding: changes.body, as: UTF8.self).hasSuffix(#","1","2-2a"]]"#))
            try await blip.reply(.reply(to: changes.number, body: Array("[[]]".utf8)))
            let revision = try await blip.request()
            #expect(revision.profile == "rev")
            #expect(revision.properties["rev"] == "2-2a")
            #expect(String(decoding: revision.body, as: UTF8.self) == #"{"_removed":true}"#)
            try await bridge.write("2", 2, deleted: true)
            #expect(try await rows(blip) == ["2 true"])
            try await bridge.give([])
            try await bridge.give(["c"])
            #expect(try await rows(blip) == ["3"])
        }
    }

    @Test(
        "When a connected user is deleted or disabled, the feed ends, requests get 503, and a new login is refused",
        arguments: [("DELETE", ""), ("PUT", #"{"disabled":true}"#)])
    func gone(_ method: String, _ body: String) async throws {
        try await RunningBridge.runGuarded { bridge in
            try await bridge.write("1")
            let continuous = try await feed(bridge, "feed=continuous&heartbeat=30000")
            #expect(try await row(continuous) == "1")
            let since = try await bridge.ask("GET", "/shop/_changes", headers: Self.anna).json["last_seq"]?.string ?? ""
            let longpoll = try await feed(bridge, "feed=longpoll&heartbeat=30000&since=\(since)")
            let pulling = try await pull(bridge, "BLIP_3+CBMobile_3", revocations: true)
            #expect(try await rows(pulling) == ["1"])
            let asking = try await RawBLIP(bridge, headers: Self.anna)
            #expect(try await bridge.admin(method, "/shop/_user/anna", body).status == 200)
            try await bridge.write("2")

            // No more rows, and no orderly end: an orderly end would mean that the feed is complete.
            let lines = String(decoding: try await continuous.readToEnd(), as: UTF8.self)
            #expect(!lines.contains("\"id\"") && !lines.contains("last_seq"), "\(lines)")
            let rest = String(decoding: try await longpoll.readToEnd(), as: UTF8.self)
            #expect(!rest.contains("\"id\"") && !rest.contains("last_seq"), "\(rest)")
            while try await pulling.socket.next() != nil {}
            #expect(try await asking.ask("subChanges").errorCode == 503)
            #expect(try await bridge.ask("GET", "/shop/_changes", headers: Self.anna).status == 401)
            await #expect(throws: RawSocket.Failure.self) { _ = try await RawBLIP(bridge, headers: Self.anna) }
        }
    }
}
