import Access
import Cutover
import Documents
import Foundation
import Gateway
import Storage
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("A login at the old server that does not see every document", .timeLimit(.minutes(5)))
struct ScopeGateTests {
    private func withOld(_ channels: [String], _ body: @Sendable (RunningBridge) async throws -> Void) async throws {
        try await RunningBridge.run {
            $0.routes = []
            $0.collections = []
            $0.guest = GuestConfiguration()
        } _: { old in
            let list = channels.map { "\"\($0)\"" }.joined(separator: ",")
            let user = #"{"password":"secret","admin_channels":[\#(list)]}"#
            #expect(try await old.admin("PUT", "/shop/_user/anna", user).status == 201)
            #expect(try await old.admin("PUT", "/shop/a1", #"{"channels":["a"]}"#).status == 201)
            #expect(try await old.admin("PUT", "/shop/b1", #"{"channels":["b"]}"#).status == 201)
            try await body(old)
        }
    }

    @Test("The gate is closed for a login that sees a part, and open for one that sees everything", arguments: [["a"], ["*"]])
    func gate(channels: [String]) async throws {
        try await withOld(channels) { old in
            try await RunningBridge.run(
                serving: { served in
                    var legacy = ReplicationDefinition(target: .server(try RemoteAddress("\(old.url)/shop")))
                    legacy.continuous = true
                    legacy.credentials = .basic(user: "anna", password: Secret("secret"))
                    served.replications = ["legacy": legacy]
                    served.cutover = CutoverConfiguration(legacy: "legacy")
                }
            ) { new in
                let gates = try await new.admin("GET", "/shop/_cutover").json["gates"]?.array ?? []
                let scope = try #require(gates.first { $0["name"]?.string == "scope" })
                #expect(scope["passed"]?.bool == (channels == ["*"]), "\(scope)")
                guard channels != ["*"] else { return }
                #expect(scope["message"]?.string?.contains("`a`") == true)
                let world = CutoverWorld(old: old, new: new)
                try await world.caughtUp()
                let refused = try await world.ask(#"{"action":"advance"}"#)
                #expect(refused.status == 412 && refused.text.contains("`a`"), "\(refused.text)")
            }
        }
    }

    @Test("An unreachable server is asked once for all concurrent requests of the status")
    func away() async throws {
        try await FakeServer.run { _, _ in
            FakeServer.json(#"{"error":"unavailable"}"#, 503)
        } _: { server, url in
            let legacy = ReplicationDefinition(target: .server(try RemoteAddress("\(url)/shop")))
            guard case .unknown = await ScopeProbe().scope(of: legacy, isFresh: true) else {
                Issue.record("An unreachable server gave a result for the scope")
                return
            }
            #expect(server.calls.count == 1)
        }
    }

    @Test("The wait for a server that sends its reply byte by byte ends at the limit")
    func slow() async throws {
        let (listener, port) = try RawSocket.listen()
        defer { close(listener) }
        Thread.detachNewThread {
            let client = accept(listener, nil, nil)
            defer { close(client) }
            var request = [UInt8](repeating: 0, count: 4_096)
            guard recv(client, &request, request.count, 0) > 0 else { return }
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n".utf8)
            guard send(client, head, head.count, Int32(MSG_NOSIGNAL)) == head.count else { return }
            // The pause makes each byte a segment of its own; nothing depends on its length. The client's end of the connection ends the loop.
            while send(client, " ", 1, Int32(MSG_NOSIGNAL)) == 1 { usleep(10_000) }
        }
        let legacy = ReplicationDefinition(target: .server(try RemoteAddress("http://127.0.0.1:\(port)/shop")))
        let scope = await ScopeProbe(limit: .milliseconds(300)).scope(of: legacy, isFresh: true)
        guard case .unknown(let reason) = scope else {
            Issue.record("A server without a reply gave a result for the scope")
            return
        }
        #expect(reason.contains("not answered"))
    }

    @Test("A step is refused at once with the reason if the old server does not reply")
    func refused() async throws {
        try await RunningBridge.run(
            serving: { served in
                var legacy = ReplicationDefinition(target: .server(try RemoteAddress("\(FakeServer.nobody)/shop")))
                legacy.continuous = true
                served.replications = ["legacy": legacy]
                served.cutover = CutoverConfiguration(legacy: "legacy")
            }
        ) { bridge in
            let answer = try await bridge.admin("POST", "/shop/_cutover", #"{"action":"advance"}"#)
            let gates = try answer.json["gates"]?.array ?? []
            #expect(answer.status == 412 && gates.first { $0["name"]?.string == "scope" }?["passed"]?.bool == false, "\(answer.text)")
            // There was no comparison, so there is no result.
            let parity = gates.first { $0["name"]?.string == "parity" }?["message"]?.string
            #expect(parity?.contains("have not been compared yet") == true, "\(answer.text)")
        }
    }

    @Test(
        "`migrate --from` and `verify` report the partial view, also of a 2.x+ server, and end with 1 unless --partial is given",
        arguments: ["http", "ws"])
    func commands(scheme: String) async throws {
        try await withOld(["a"]) { old in
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/new.dualgauge"
            let url = "\(scheme)://127.0.0.1:\(old.port)/shop"
            let migrate = ["migrate", "--from", url, "--user", "anna:secret", "--to", store]
            let result = try await Program.run(migrate)
            #expect(result.code == 1 && result.output.contains("WARNING: the login sees the channels !, a"), "\(result)")
            let meant = try await Program.run(migrate + ["--partial", "--json"])
            #expect(meant.code == 0, "\(meant)")
            let channels = try JSONValue(Array(meant.output.utf8))["run"]?["seenChannels"]?.array?.compactMap(\.string)
            #expect(channels == ["!", "a"])
            let verify = ["verify", url, store, "--user", "anna:secret"]
            #expect(try await Program.run(verify).code == 1)
            #expect(try await Program.run(verify + ["--partial"]).code == 0)
        }
    }
}
