import BridgeConfiguration
import Documents
import Foundation
import Gateway
import ReplicationService
import Server
import Testing

@Suite("Replications that run beside the listeners")
struct ReplicationServiceTests {
    private func json(_ answer: RawAnswer) throws -> JSONValue { try JSONValue(answer.body) }

    /// Polls a replication's status until it meets the condition.
    private func status(_ bridge: RunningBridge, _ id: String, _ condition: (JSONValue) -> Bool) async throws -> JSONValue {
        while true {
            let status = try json(await bridge.admin("GET", "/shop/_replicationStatus/\(id)?includeConfig=true"))
            if condition(status) { return status }
        }
    }

    @Test(
        "The admin port creates, starts, stops, resets, changes and removes replications; the public port has none of these endpoints",
        arguments: ["ws", "http"])
    func life(scheme: String) async throws {
        try await RunningBridge.run { there in
            #expect(try await there.ask("PUT", "/shop/a", "{}").status == 201)
            try await RunningBridge.run { here in
                let remote = "\(scheme)://127.0.0.1:\(there.port)/shop"
                let body = #"{"remote":"\#(remote)","direction":"pushAndPull","continuous":true}"#
                #expect(try await here.ask("PUT", "/shop/_replication/r", body).status != 201)
                #expect(try await here.ask("GET", "/shop/_replicationStatus/").status == 404)
                #expect(try await here.admin("PUT", "/shop/_replication/r", body).status == 201)
                #expect(try await here.ask("PUT", "/shop/b", "{}").status == 201)
                let running = try await status(here, "r") { $0["docs_read"]?.int == 1 && $0["docs_written"]?.int == 1 }
                #expect(running["status"]?.string == "running" && running["config"]?["remote"]?.string == remote)
                #expect(try await there.ask("GET", "/shop/b").status == 200)
                #expect(try await here.admin("PUT", "/shop/_replication/r", body).status == 400)
                #expect(try await here.admin("PUT", "/shop/_replicationStatus/r?action=reset").status == 400)
                #expect(try await here.admin("PUT", "/shop/_replicationStatus/r").status == 400)
                #expect(try await here.admin("PUT", "/shop/_replicationStatus/r?action=dance").status == 400)
                #expect(try await here.admin("PUT", "/shop/_replicationStatus/r?action=stop").status == 200)
                _ = try await status(here, "r") { $0["status"]?.string == "stopped" }
                let reset = try json(await here.admin("PUT", "/shop/_replicationStatus/r?action=reset"))
                #expect(reset["status"]?.string == "resetting")
                #expect(try await here.admin("PUT", "/shop/_replication/r", #"{"continuous":false}"#).status == 200)
                #expect(try await here.admin("PUT", "/shop/_replicationStatus/r?action=start").status == 200)
                let done = try await status(here, "r") { $0["status"]?.string == "stopped" }
                #expect(done["error_message"] == nil, "\(done)")
                let list = try json(await here.admin("GET", "/shop/_replication/"))
                #expect(list["r"]?["continuous"]?.bool == false)
                #expect(try await here.admin("DELETE", "/shop/_replication/r").status == 200)
                #expect(try await here.admin("GET", "/shop/_replication/r").status == 404)
                #expect(try json(await here.admin("GET", "/shop/_replicationStatus/")).array?.isEmpty == true)
            }
        }
    }

    @Test("The status has the number of compared documents and the position, of 1.x too, and after a restart")
    func position() async throws {
        try await RunningBridge.run { there in
            for id in ["a", "b"] { #expect(try await there.ask("PUT", "/shop/\(id)", "{}").status == 201) }
            try await RunningBridge.run { here in
                #expect(try await here.ask("PUT", "/shop/c", "{}").status == 201)
                let body = #"{"remote":"http://127.0.0.1:\#(there.port)/shop","direction":"pushAndPull"}"#
                #expect(try await here.admin("PUT", "/shop/_replication/r", body).status == 201)
                let done = try await status(here, "r") { $0["docs_written"]?.int == 1 && $0["status"]?.string == "stopped" }
                #expect((done["docs_checked_pull"]?.int ?? 0) >= 2 && (done["docs_checked_push"]?.int ?? 0) >= 1, "\(done)")
                #expect(done["last_seq_pull"]?.string != nil && done["last_seq_push"]?.string != nil, "\(done)")
                #expect(try await here.admin("PUT", "/shop/_replicationStatus/r?action=start").status == 200)
                let again = try await status(here, "r") { $0["status"]?.string == "stopped" }
                #expect(again["docs_read"]?.int == 2 && again["docs_written"]?.int == 1, "\(again)")
            }
        }
    }

    @Test(
        "Invalid definitions are refused",
        arguments: [
            #"{"direction":"pull"}"#, #"{"remote":"file:///etc/passwd","direction":"pull"}"#,
            #"{"remote":"gopher://h/shop","direction":"pull"}"#,
            #"{"remote":"ws://h/shop"}"#, #"{"remote":"ws://h/shop","direction":"both"}"#,
            #"{"remote":"ws://h/shop","direction":"pull","filter":"sync_gateway/bychannel"}"#,
            #"{"remote":"ws://h/shop","direction":"pull","filter":"other"}"#,
            #"{"remote":"ws://h/shop","direction":"pull","conflict_resolution_type":"custom"}"#,
            #"{"remote":"ws://h/shop","direction":"pull","run_as":"u"}"#,
            #"{"remote":"ws://h/shop","direction":"pull","adhoc":true,"initial_state":"stopped"}"#,
            #"{"remote":"ws://h/shop","direction":"pull","collections_enabled":true,"collections_local":["no.such"]}"#,
            #"{"remote":"ws://u:p@h/shop","direction":"pull","remote_username":"u"}"#, #"{"remote":7,"direction":"pull"}"#, "[]", "{",
            #"{"replication_id":"other","remote":"ws://h/shop","direction":"pull"}"#,
        ])
    func refusals(_ body: String) async throws {
        try await RunningBridge.run { bridge in
            let answer = try await bridge.admin("PUT", "/shop/_replication/r", body)
            #expect(answer.status == 400, "\(answer.text)")
            #expect(try await bridge.admin("GET", "/shop/_replication/r").status == 404)
        }
    }

    @Test("A revision that came from an upstream is not pushed back to it, and an idle pair is silent", arguments: ["ws", "http"])
    func echo(scheme: String) async throws {
        try await RunningBridge.run { there in
            try await RunningBridge.run { here in
                let body = #"{"remote":"\#(scheme)://127.0.0.1:\#(there.port)/shop","direction":"pushAndPull","continuous":true}"#
                #expect(try await here.admin("PUT", "/shop/_replication/r", body).status == 201)
                for index in 0..<50 {
                    #expect(try await there.ask("PUT", "/shop/t\(index)", "{}").status == 201)
                    #expect(try await here.ask("PUT", "/shop/h\(index)", "{}").status == 201)
                }
                let caughtUp = try await status(here, "r") { $0["docs_read"]?.int == 50 && $0["docs_written"]?.int == 50 }
                #expect(try await here.admin("PUT", "/shop/_replicationStatus/r?action=stop").status == 200)
                let stopped = try await status(here, "r") { $0["status"]?.string == "stopped" }
                #expect(stopped["docs_read"] == caughtUp["docs_read"] && stopped["docs_written"] == caughtUp["docs_written"])
                for bridge in [here, there] {
                    let info = try json(await bridge.ask("GET", "/shop/"))
                    // One sequence for each document, above the fence: nothing was written twice.
                    #expect(info["update_seq"]?.int.map { $0 % 1_000 } == 101, "\(info)")
                }
            }
        }
    }

    @Test("A replication of the configuration runs with the bridge, shows no secret, and can be changed in the file only")
    func configured() async throws {
        try await RunningBridge.run { there in
            #expect(try await there.ask("PUT", "/shop/a", "{}").status == 201)
            let configure: (inout ServerConfiguration.ServedDatabase) throws -> Void = { served in
                for (name, user) in [("good", ""), ("wrong", "u:s3cret@")] {
                    let address = try RemoteAddress("ws://\(user)127.0.0.1:\(there.port)/shop")
                    served.replications[name] = ReplicationDefinition(target: .server(address))
                }
            }
            try await RunningBridge.run(serving: configure) { here in
                _ = try await status(here, "good") { $0["docs_read"]?.int == 1 }
                let failed = try await status(here, "wrong") { $0["status"]?.string == "error" }
                #expect(failed["error_message"]?.string?.contains("401") == true)
                let text = try await here.admin("GET", "/shop/_replication/").text
                #expect(text.contains("u:xxxxx@") && !text.contains("s3cret"))
                #expect(try await here.admin("DELETE", "/shop/_replication/good").status == 400)
                #expect(try await here.admin("PUT", "/shop/_replication/good", "{}").status == 400)
            }
        }
    }
}
