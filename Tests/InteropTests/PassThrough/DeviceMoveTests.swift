import Authentication
import BridgeConfiguration
import Cutover
import Documents
import Foundation
import Gateway
import HTTP
import ReplicationService
import Server
import TestSupport
import Testing

@Suite("Devices that are moved from the old server and back", .timeLimit(.minutes(2)))
struct DeviceMoveTests {
    private static let basic = "Authorization: Basic YW5uYTpwdw==\r\n"

    private static func change(_ bridge: RunningBridge, _ body: String, _ status: Int = 200) async throws -> JSONValue {
        let answer = try await bridge.admin("POST", "/shop/_cutover/devices", body)
        #expect(answer.status == status, "\(answer.text)")
        return try answer.json
    }

    /// Whether a request is passed on. The old server answers everything with 299.
    private static func isPassedOn(_ world: PassThroughWorld, _ request: String) async throws -> Bool {
        let client = try world.bridge.connect()
        try await client.send(request)
        return try await client.answer().status == 299
    }

    @Test("At `dual` the rules decide; logins are the old server's; collections and Couchbase Lite 4 exist here alone")
    func rules() async throws {
        try await PassThroughWorld.run(at: .dual) {
            $0.rules.addresses = [AddressRange("127.0.0.0/8")].compactMap(\.self)
        } _: { (world: PassThroughWorld) async throws in
            world.old.answerAll(299)
            #expect(try await !Self.isPassedOn(world, "GET /shop/ HTTP/1.1\r\nHost: a\r\n\r\n"))
            // A user is not chosen by an address.
            #expect(try await Self.isPassedOn(world, "GET /shop/ HTTP/1.1\r\nHost: a\r\n\(Self.basic)\r\n"))
            #expect(try await !Self.isPassedOn(world, "GET /shop.sales.orders/x HTTP/1.1\r\nHost: a\r\n\r\n"))
            for login in ["POST /shop/_session", "DELETE /shop/_session", "POST /shop/_facebook", "GET /shop/_oidc"] {
                #expect(try await Self.isPassedOn(world, "\(login) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"), "\(login)")
            }
            #expect(try await !Self.isPassedOn(world, "GET /shop/_session HTTP/1.1\r\nHost: a\r\n\r\n"))
            #expect(try await Self.isPassedOn(world, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
            #expect(try await !Self.isPassedOn(world, "GET /_ping HTTP/1.1\r\nHost: a\r\n\r\n"))
        }
    }

    @Test("A change ends the feeds of the devices that change sides, and their next request goes to the other side")
    func change() async throws {
        try await PassThroughWorld.run(at: .dual) { world in
            let feed = "GET /shop/_changes?feed=continuous&heartbeat=60000 HTTP/1.1\r\nHost: a\r\n\r\n"
            let (passed, server, _) = try await world.exchange(feed)
            try await server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n\n\r\n")
            _ = try await passed.read(until: "\r\n\r\n")
            #expect(try await passed.chunk() == [10])
            let (other, otherServer, _) = try await world.exchange(
                "GET /shop/_changes?feed=longpoll HTTP/1.1\r\nHost: a\r\n\(Self.basic)\r\n")

            let (short, shortServer, _) = try await world.exchange("GET /shop/a HTTP/1.1\r\nHost: a\r\n\r\n")

            let rules = try await Self.change(world.bridge, #"{"addresses":["127.0.0.1"]}"#)
            #expect(rules["servedHere"]?.string == "by rule" && rules["addresses"]?.array?.first?.string == "127.0.0.1")
            // A request that has begun is answered.
            try await shortServer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")
            #expect(try await short.answer().text == "[]")
            shortServer.cut()
            // The feed ends without its end, and the old server's side, too. The device that stays keeps its feed.
            #expect(try await passed.readToEnd() == [])
            #expect(try await server.readToEnd() == [])
            try await otherServer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            #expect(try await other.answer().text == "{}")
            otherServer.cut()

            // The bridge has the feed now.
            let here = try world.bridge.connect()
            try await here.send(feed)
            #expect(try await here.read(until: "\r\n\r\n").contains("(Dualgauge"))

            // The replication with the old server has an error, so the old server may lack documents.
            let refusal = try await Self.change(world.bridge, #"{"back":true}"#, 412)
            #expect(refusal["error"]?.string == "Precondition Failed" && refusal["addresses"]?.array?.count == 1)
            let back = try await Self.change(world.bridge, #"{"back":true,"force":true,"reason":"a test"}"#)
            #expect(back["addresses"]?.array?.isEmpty == true)
            while try await here.chunk() != nil {}
            world.old.answerAll(299)
            #expect(try await Self.isPassedOn(world, "GET /shop/ HTTP/1.1\r\nHost: a\r\n\r\n"))

            let history = try await world.bridge.admin("GET", "/shop/_cutover").json["history"]?.array ?? []
            #expect(history.map { $0["outcome"]?.string } == ["devices", "refused", "devices"])
            #expect(history.first?["reason"]?.string == "addresses -127.0.0.1: a test")
        }
    }

    @Test("The next stage serves everybody here, and ends what is passed on; a step back passes everybody on")
    func stages() async throws {
        try await PassThroughWorld.run(at: .dual) { world in
            let (client, server, _) = try await world.exchange("GET /shop/_changes?feed=longpoll HTTP/1.1\r\nHost: a\r\n\r\n")
            try await server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            _ = try await client.read(until: "\r\n\r\n")
            let step = #"{"action":"advance","force":true,"reason":"a test"}"#
            #expect(try await world.bridge.admin("POST", "/shop/_cutover", step).status == 200)
            #expect(try await client.readToEnd() == [])
            #expect(try await world.bridge.ask("GET", "/shop/").status == 200)
            world.old.answerAll(299)
            let back = #"{"action":"reverse","force":true,"reason":"a test"}"#
            #expect(try await world.bridge.admin("POST", "/shop/_cutover", back).status == 200)
            #expect(try await Self.isPassedOn(world, "GET /shop/ HTTP/1.1\r\nHost: a\r\n\r\n"))
        }
    }

    @Test(
        "A moved user goes on with the old server's session, also with an account here; a logout there ends the session here",
        arguments: [false, true])
    func logout(hasAccount: Bool) async throws {
        try await CutoverWorld.run {
            $0.firstStage = .dual
            $0.devices = DevicesConfiguration()
        } _: { world in
            let account = #"{"password":"secret","admin_channels":["a"]}"#
            #expect(try await world.old.admin("PUT", "/shop/_user/anna", account).status == 201)
            if hasAccount {
                let own = #"{"password":"another","admin_channels":["own"]}"#
                #expect(try await world.new.admin("PUT", "/shop/_user/anna", own).status == 201)
            }
            let login = try await world.new.ask("POST", "/shop/_session", #"{"name":"anna","password":"secret"}"#)
            let cookie = try #require(login["Set-Cookie"]?.prefix { $0 != ";" })
            let headers = "Cookie: \(cookie)\r\n"
            func user() async throws -> JSONValue? {
                try await world.new.ask("GET", "/shop/_session", headers: headers).json["userCtx"]?["name"]
            }
            #expect(try await Self.change(world.new, #"{"moveUser":"anna"}"#)["users"]?.array?.count == 1)
            #expect(try await user()?.string == "anna")
            let channels = try await world.new.ask("GET", "/shop/_session", headers: headers).json["userCtx"]?["channels"]?.members ?? []
            #expect(channels.map(\.key).sorted() == ["!", hasAccount ? "own" : "a"])
            #expect(try await world.new.ask("DELETE", "/shop/_session", headers: headers).status == 200)
            #expect(try await user()?.string == nil)
            #expect(try await world.new.ask("GET", "/shop/_changes", headers: headers).status == 401)
        }
    }

    @Test("A move and a step end tunnels", arguments: [true, false])
    func tunnels(byRule: Bool) async throws {
        try await PassThroughWorld.run(at: .dual) { world in
            let (client, server, _) = try await world.exchange(TunnelTests.request)
            try await server.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nfirst")
            _ = try await client.read(until: "first")
            if byRule {
                _ = try await Self.change(world.bridge, #"{"addresses":["127.0.0.1"]}"#)
            } else {
                let step = #"{"action":"advance","force":true,"reason":"a test"}"#
                #expect(try await world.bridge.admin("POST", "/shop/_cutover", step).status == 200)
            }
            #expect(try await client.readToEnd() == [])
            #expect(try await server.readToEnd() == [])
        }
    }

    @Test("A step ends also requests that have no answer yet: the old server is no longer read afterwards")
    func stepDuringRequest() async throws {
        try await PassThroughWorld.run(at: .dual) { world in
            let (client, server, _) = try await world.exchange("PUT /shop/a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}")
            let step = #"{"action":"advance","force":true,"reason":"a test"}"#
            #expect(try await world.bridge.admin("POST", "/shop/_cutover", step).status == 200)
            #expect(try await client.readToEnd() == [])
            _ = try await server.readToEnd()
        }
    }

    @Test("A step back ends feeds that began while everybody was served here")
    func stepBack() async throws {
        try await PassThroughWorld.run(at: .switched) { world in
            let client = try world.bridge.connect()
            try await client.send("GET /shop/_changes?feed=continuous HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await client.read(until: "\r\n\r\n")
            let step = #"{"action":"reverse","force":true,"reason":"a test"}"#
            #expect(try await world.bridge.admin("POST", "/shop/_cutover", step).status == 200)
            while try await client.chunk() != nil {}
            world.old.answerAll(299)
            #expect(try await Self.isPassedOn(world, "GET /shop/ HTTP/1.1\r\nHost: a\r\n\r\n"))
        }
    }

    @Test("A device that goes on with a position of the bridge gets the old server's feed from its begin, by each kind of request")
    func positions() async throws {
        try await PassThroughWorld.run(at: .dual) { world in
            #expect(try await world.bridge.admin("PUT", "/shop/a", "{}").status == 201)
            let feed = try await world.bridge.admin("GET", "/shop/_changes").json
            let own = try #require(feed["last_seq"]?.string ?? feed["last_seq"]?.int.map(String.init))
            for (since, received) in [(own, "0"), ("57", "57")] {
                let (waiting, waitingServer, head) = try await world.exchange(
                    "GET /shop/_changes?since=\(since)&feed=longpoll HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(head.hasPrefix("GET /stock/_changes?since=\(received)&feed=longpoll HTTP/1.1\r\n"))

                let sent = #"{"since":\#(since),"limit":5}"#
                let (poster, posted, post) = try await world.exchange(
                    "POST /shop/_changes HTTP/1.1\r\nHost: a\r\nContent-Length: \(sent.utf8.count)\r\n\r\n\(sent)")
                let length = try #require(RawAnswer.header("Content-Length", of: post).flatMap { Int($0) }, "\(post)")
                let body = String(decoding: try await posted.read(count: length), as: UTF8.self)
                #expect(body == (since == own ? #"{"limit":5,"since":0}"# : sent))

                let (socket, server, _) = try await world.exchange(
                    TunnelTests.request.replacingOccurrences(of: "_blipsync", with: "_changes?feed=websocket"))
                try await server.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
                _ = try await socket.read(until: "\r\n\r\n")
                // A mask of zeros leaves the text readable.
                let text = Array(#"{"since":\#(since)}"#.utf8)
                try await socket.send([0x81, 0x80 | UInt8(text.count), 0, 0, 0, 0] + text)
                let header = try await server.read(count: 6)
                let message = try await server.read(count: Int(header[1] & 0x7f))
                let plain = zip(message, message.indices).map { $0 ^ header[2 + $1 % 4] }
                #expect(String(decoding: plain, as: UTF8.self) == #"{"since":\#(received)}"#)
                // The client leaves first: after a connection that the server has closed, the request would come once more.
                for (leaving, left) in [(waiting, waitingServer), (poster, posted)] {
                    leaving.cut()
                    _ = try await left.readToEnd()
                }
            }
        }
    }

    @Test("The database's name at the old server is no way around the rules", arguments: ["/stock", "/stock/", "/stock/a", "/stock?x"])
    func oldName(path: String) async throws {
        try await PassThroughWorld.run(at: .switched) { (world: PassThroughWorld) async throws in
            world.old.answerAll(299)
            #expect(try await world.bridge.ask("GET", path).status == 404)
        }
        try await PassThroughWorld.run(at: .dual) { (world: PassThroughWorld) async throws in
            world.old.answerAll(299)
            #expect(try await world.bridge.ask("GET", path).status == 404)
        }
    }

    @Test("Changed rules survive a restart, until the configuration has other rules")
    func restart() async throws {
        let folder = try TemporaryFolder()
        try await PassThroughWorld.run(at: .dual, in: folder) { world in
            _ = try await Self.change(world.bridge, #"{"percent":12.5,"moveUser":"anna"}"#)
        }
        try await PassThroughWorld.run(at: .dual, in: folder) { world in
            let rules = try await world.bridge.admin("GET", "/shop/_cutover/devices").json
            #expect(rules["percent"] == .number("12.5") && rules["users"]?.array?.first?.string == "anna")
        }
        try await PassThroughWorld.run(at: .dual, in: folder) {
            $0.rules.except = [NamePattern(exactly: "ceo")]
        } _: { world in
            let rules = try await world.bridge.admin("GET", "/shop/_cutover/devices").json
            #expect(rules["percent"] == .number("0") && rules["except"]?.array?.first?.string == "ceo")
        }
    }

    @Test(
        "Bad changes are refused with what is wrong, and change nothing",
        arguments: [
            "[]", #"{"percent":200}"#, #"{"percentage":5}"#, #"{"moveUser":""}"#, #"{"back":"yes"}"#, #"{"percent":5,"force":true}"#,
            #"{"addresses":["x"]}"#,
        ])
    func refused(body: String) async throws {
        try await PassThroughWorld.run(at: .dual) { world in
            let answer = try await Self.change(world.bridge, body, 400)
            #expect(answer["reason"]?.string?.isEmpty == false)
            #expect(try await world.bridge.admin("GET", "/shop/_cutover").json["history"]?.array?.isEmpty == true)
        }
    }

    @Test("Without `devices` there are no rules, and everybody is served here")
    func without() async throws {
        try await RunningBridge.run { (bridge: RunningBridge) async throws in
            #expect(try await bridge.admin("GET", "/shop/_cutover/devices").status == 404)
            #expect(try await bridge.ask("GET", "/shop/").status == 200)
        }
    }
}
