import Access
import Authentication
import BLIP
import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import Logging
import Scripting
import Storage
import TestSupport
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Devices that are pointed at the bridge get the rows that the old server would have sent", .serialized, .timeLimit(.minutes(5)))
struct RepointedDeviceTests {
    /// The documents d1 to d11, with sequences of these numbers, and their channels. Every device has position 8.
    private static let channels = [["a"], ["b"], ["a", "s"], ["b"], ["a"], ["b", "s"], ["a"], ["b"], ["a"], ["b"], ["s"]]

    /// The users' own channels at the old server, with the sequence since which each has them.
    private static let grants = [
        "anna": #"{"!":1,"a":1}"#, "bob": #"{"!":1,"b":1}"#, "rob": #"{"!":1}"#, "carla": #"{"!":1,"a":1,"b":12}"#, "": #"{"!":1,"*":1}"#,
        "dora": #"{"!":1,"a":1}"#,
    ]

    /// The old server's replies for a device that moves over from it.
    @Sendable private static func gateway(_ call: FakeServer.Call, _ url: String) -> Response {
        let user = call.headers[.authorization].flatMap { BasicCredentials(authorization: $0)?.user } ?? ""
        switch call.path {
        case "/old/_session":
            let name = user.isEmpty ? "null" : "\"\(user)\""
            return FakeServer.json(#"{"ok":true,"userCtx":{"channels":\#(grants[user] ?? "{}"),"name":\#(name)}}"#)
        case "/old/_local/phone-\(user)":
            return FakeServer.json(#"{"_id":"_local/phone-\#(user)","_rev":"0-3","lastSequence":"8"}"#)
        case "/old/_local/checkpoint%252Fphone-\(user)":
            return FakeServer.json(#"{"_id":"_local/checkpoint/phone-\#(user)","_rev":"0-3","local":5,"remote":8}"#)
        case "/old/_changes" where user == "rob":
            let row = call.target.contains("channels=s&") ? #"{"seq":3,"id":"d3"}"# : #"{"seq":11,"id":"d11"}"#
            return FakeServer.json(#"{"results":[\#(row)]}"#)
        case "/old/_changes" where user == "dora":
            // d10 left her channel before the bridge copied it, and another document was deleted.
            let left = #"{"seq":10,"id":"d10","removed":["a"]},"#
            let gone = #"{"seq":12,"id":"gone","deleted":true}"#
            let isOfOther = call.target.contains("bychannel") && !call.target.contains("channels=a&")
            return FakeServer.json(#"{"results":[\#(isOfOther ? "" : left + gone)],"last_seq":12}"#)
        default:
            return FakeServer.json(#"{"error":"not_found"}"#, 404)
        }
    }

    /// Fills a store like a pull from the old server.
    ///
    /// - Parameter gone: A document that was deleted before the copy; `nil` for none.
    private func fill(_ folder: TemporaryFolder, gone: String?) async throws {
        let store = try await TestStores.open("\(folder.path)/shop.dualgauge")
        let database = try await Database(
            configuration: DatabaseConfiguration(name: "shop"), store: store, scripts: ScriptEngine(workers: 1),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await database.unified.beginUpstreamFeed(of: "old", since: nil)
        for (index, channels) in Self.channels.enumerated() {
            let (id, list) = ("d\(index + 1)", channels.map { "\"\($0)\"" }.joined(separator: ","))
            let written = try await database.unified.write(
                RevisionWrite(id: id, kind: .edit(parent: nil), isDeleted: false, body: Array("{\"channels\":[\(list)]}".utf8)))
            let places = try await database.unified.upstreamPlaces(of: [UpstreamSequence("\(index + 1)")], in: "old")
            try await database.unified.noteUpstream(
                places.map { UpstreamRow(id: id, leaves: [written.revision], place: $0) }, upTo: UpstreamSequence("12"))
        }
        if let gone {
            let written = try await database.unified.write(
                RevisionWrite(
                    id: gone, kind: .replicated(history: [RevisionID("2-bb"), RevisionID("1-aa")].compactMap { $0 }, conflicts: .branch),
                    isDeleted: true, body: Array("{}".utf8)))
            let places = try await database.unified.upstreamPlaces(of: [UpstreamSequence("12")], in: "old")
            try await database.unified.noteUpstream(
                places.map { UpstreamRow(id: gone, leaves: [written.revision], place: $0) }, upTo: UpstreamSequence("12"))
        }
        try await database.close()
    }

    private func withBridge(
        gone: String? = nil, _ body: @Sendable (FakeServer, RunningBridge) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        try await fill(folder, gone: gone)
        try await FakeServer.run(Self.gateway) { (server, url) async throws in
            try await RunningBridge.run(
                {
                    $0.collections = []; $0.routes = []
                },
                serving: { served in
                    served.authenticators.upstream = UpstreamConfiguration(
                        database: try VerificationEndpoint(configured: "\(url)/old", plainHTTP: .anywhere))
                    var (bob, rob, staff) = (
                        ConfiguredAccount(.user("bob")), ConfiguredAccount(.user("rob")), ConfiguredAccount(.role("staff"))
                    )
                    bob.channels = ["b"]
                    rob.roles = ["staff"]
                    staff.channels = ["s"]
                    bob.password = .text(Secret("pw-bob"))
                    rob.password = .text(Secret("pw-rob"))
                    served.accounts = [staff, bob, rob]
                }, in: folder
            ) { (bridge) async throws in try await body(server, bridge) }
        }
    }

    /// A user's device finds its checkpoint, and reads on from there, page by page.
    private func rows(_ user: String, on bridge: RunningBridge, page: Int = 100) async throws -> [String] {
        let headers = user.isEmpty ? "" : basic(user, "pw-\(user)")
        let checkpoint = try await bridge.ask("GET", "/shop/_local/phone-\(user)", headers: headers)
        #expect(try checkpoint.json["lastSequence"]?.string == "8", "\(user): \(checkpoint.text)")
        var (ids, since): ([String], String) = ([], "8")
        while true {
            let answer = try await bridge.ask("GET", "/shop/_changes?since=\(since)&limit=\(page)", headers: headers).json
            let rows = answer["results"]?.array ?? []
            ids += rows.compactMap { $0["id"]?.string }
            let last = answer["last_seq"]
            since = last?.string ?? last?.int.map(String.init) ?? ""
            if rows.count < page { return ids }
        }
    }

    @Test("Users of the old server, users and roles of the configuration, and the guest get these rows", arguments: [1, 100])
    func everyKind(page: Int) async throws {
        try await withBridge { (server, bridge) async throws in
            for (user, expected) in [("anna", ["d9"]), ("bob", ["d10"]), ("rob", ["d11"]), ("", ["d9", "d10", "d11"])] {
                #expect(try await rows(user, on: bridge, page: page) == expected, "\(user)")
            }
            // A second device of hers at the same position costs the old server only the request for the checkpoint.
            let asked = server.calls.count { $0.path == "/old/_session" }
            #expect(try await rows("anna", on: bridge) == ["d9"])
            #expect(server.calls.count { $0.path == "/old/_session" } == asked)
        }
    }

    @Test("A channel that the old server granted after the checkpoint is sent whole, and no other row again")
    func grantedThere() async throws {
        try await withBridge { (_, bridge) async throws in
            // Other clients have read here before.
            _ = try await rows("bob", on: bridge)
            #expect(try await rows("carla", on: bridge).sorted() == ["d10", "d2", "d4", "d6", "d8", "d9"])
        }
    }

    @Test("A channel that is granted here is sent whole, to a device that moves over and to a device that is here")
    func grantedHere() async throws {
        try await withBridge { (_, bridge) async throws in
            #expect(try await rows("bob", on: bridge) == ["d10"])
            let place = try await bridge.ask("GET", "/shop/_changes?since=8", headers: basic("bob", "pw-bob")).json["last_seq"]
            let since = try #require(place?.string ?? place?.int.map(String.init))
            #expect(try await bridge.admin("PUT", "/shop/_user/bob", #"{"admin_channels":["b","s"]}"#).status == 200)
            #expect(try await rows("bob", on: bridge).sorted() == ["d10", "d11", "d3"])
            let later = try await bridge.ask("GET", "/shop/_changes?since=\(since)", headers: basic("bob", "pw-bob")).json["results"]?.array
            #expect(later?.compactMap { $0["id"]?.string } == ["d3", "d11"])
        }
    }

    @Test("A device gets the documents that were deleted or left its channels before the bridge copied them, and removes them")
    func lostThere() async throws {
        try await withBridge(gone: "gone") { (server, bridge) async throws in
            #expect(try await rows("dora", on: bridge) == ["d9", "d10", "gone"])
            let login = basic("dora", "pw-dora")
            let answer = try await bridge.ask("GET", "/shop/_changes?since=8", headers: login).json["results"]?.array ?? []
            #expect(answer.map { $0["removed"]?.array?.compactMap(\.string) } == [nil, ["a"], ["a"]])
            #expect(answer.map { $0["deleted"]?.bool ?? false } == [false, false, true])
            for row in answer.dropFirst() {
                let (id, revision) = (row["id"]?.string ?? "", row["changes"]?.array?.first?["rev"]?.string ?? "")
                let document = try await bridge.ask("GET", "/shop/\(id)?rev=\(revision)", headers: login).json
                #expect(document["_removed"]?.bool == true, "\(id)")
                #expect(document["channels"] == nil, "\(id)")
            }
            // Each deletion costs the old server one request for each channel, once: the result is used for all users with the channel.
            let asked = server.calls.count { $0.path == "/old/_changes" }
            #expect(try await rows("anna", on: bridge) == ["d9", "d10", "gone"])
            #expect(server.calls.count { $0.path == "/old/_changes" } == asked + 1)
            #expect(try await rows("bob", on: bridge) == ["d10"])
        }
    }

    @Test("A 2.x device gets its checkpoint, with its revision, and the rows after it; then the checkpoint here counts")
    func modern() async throws {
        try await withBridge { (server, bridge) async throws in
            let login = basic("bob", "pw-bob")
            let client = try await RawBLIP(bridge, "BLIP_3+CBMobile_2", headers: login)
            let checkpoint = try await client.ask("getCheckpoint", ["client": "phone-bob"])
            #expect(String(decoding: checkpoint.body, as: UTF8.self) == #"{"local":5,"remote":8}"#)
            #expect(checkpoint.properties["rev"] == "0-3")
            #expect(try await client.pull(since: "8").keys.sorted() == ["d10"])
            let saved = try await client.ask("setCheckpoint", ["client": "phone-bob", "rev": "0-3"], #"{"local":6,"remote":1000000011}"#)
            #expect(saved.properties["rev"] == "0-4")
            let again = try await RawBLIP(bridge, headers: login).ask("getCheckpoint", ["client": "phone-bob"])
            #expect(String(decoding: again.body, as: UTF8.self) == #"{"local":6,"remote":1000000011}"#)
            #expect(again.properties["rev"] == "0-4")
        }
    }

    @Test("A 2.x client without a checkpoint at the old server, or whose app names collections, begins here as before")
    func newModern() async throws {
        try await withBridge { (server, bridge) async throws in
            let client = try await RawBLIP(bridge, headers: basic("bob", "pw-bob"))
            #expect(try await client.ask("getCheckpoint", ["client": "other"]).errorCode == 404)
            #expect(try await client.pull().keys.sorted() == ["d10", "d2", "d4", "d6", "d8"])
            let asked = server.calls.count
            let named = try await RawBLIP(bridge, headers: basic("bob", "pw-bob"))
            let answer = try await named.ask(
                "getCollections", [:], #"{"checkpoint_ids":["phone-bob"],"collections":["_default"]}"#)
            #expect(String(decoding: answer.body, as: UTF8.self) == "[{}]")
            #expect(server.calls.count { $0.path.contains("_local") } == server.calls.prefix(asked).count { $0.path.contains("_local") })
        }
    }

    @Test("A device that was moved between its reading and its writing of a checkpoint writes it with the old server's revision")
    func movedBetween() async throws {
        try await withBridge { (_, bridge) async throws in
            let login = basic("bob", "pw-bob")
            func put(_ revision: String, _ place: Int) async throws -> RawAnswer {
                try await bridge.ask(
                    "PUT", "/shop/_local/phone-bob", #"{"_rev":"\#(revision)","lastSequence":"\#(place)"}"#, headers: login)
            }
            #expect(try await put("0-2", 9).status == 404)
            let written = try await put("0-3", 9)
            #expect(written.status == 201)
            #expect(try written.json["rev"]?.string == "0-4")
            // The old server still has that revision, but the device has written here since.
            #expect(try await put("0-3", 10).status == 409)
            #expect(try await bridge.ask("GET", "/shop/_local/phone-bob", headers: login).json["lastSequence"]?.string == "9")
        }
    }

    @Test("A feed that a device repeats after its move, without reading its checkpoint again, goes on at its position")
    func repeated() async throws {
        try await withBridge { (_, bridge) async throws in
            for (user, expected) in [("anna", ["d9"]), ("bob", ["d10"]), ("rob", ["d11"])] {
                let answer = try await bridge.ask("GET", "/shop/_changes?since=8", headers: basic(user, "pw-\(user)")).json
                #expect(answer["results"]?.array?.compactMap { $0["id"]?.string } == expected, "\(user)")
            }
            let socket = try RawSocket(port: bridge.port)
            try await socket.send(RawWebSocket.request("/shop/_changes?feed=websocket", headers: basic("carla", "pw-carla")))
            _ = try await socket.read(until: "\r\n\r\n")
            let feed = RawWebSocket(socket)
            try await feed.send(Array(#"{"since":8}"#.utf8))
            let rows = try JSONValue(try #require(try await feed.next()).payload).array ?? []
            #expect(rows.compactMap { $0["id"]?.string }.sorted() == ["d10", "d2", "d4", "d6", "d8", "d9"])
        }
    }
}
