import Documents
import Testing

@Suite("dualgauge verify")
struct VerifyCommandTests {
    @Test("The output names both endpoints, and the one that has each document")
    func ends() async throws {
        let folder = try TemporaryFolder()
        let one = try folder.write(#"{"_id":"a","_rev":"1-aa"}"# + "\n" + #"{"_id":"c","_rev":"1-aa","x":1}"# + "\n", to: "one.jsonl")
        let other = try folder.write(#"{"_id":"b","_rev":"1-aa"}"# + "\n" + #"{"_id":"c","_rev":"2-bb","x":2}"# + "\n", to: "other.jsonl")
        let result = try await Program.run("verify", one, other)
        #expect(result.code == 1, "\(result.errors)")
        for line in ["  A: \(one)", "  B: \(other)", "only in A: \(one)", "only in B: \(other)", "1-aa in A, 2-bb in B"] {
            #expect(result.output.contains(line), "\(result.output)")
        }
    }

    @Test("A document in a hidden collection is no difference")
    func hidden() async throws {
        let folder = try TemporaryFolder()
        let dump = try folder.write(#"{"_id":"d","_rev":"1-aa","type":"order"}"# + "\n", to: "dump.jsonl")
        let routes = try folder.write(
            "collections: { sales.orders: { legacy: hidden } }\nroutes: [ { to: sales.orders, when: { property: type, equals: order } } ]\n",
            to: "routes.yaml")
        for _ in 1...2 {
            let result = try await Program.run(
                "migrate", "--from", dump, "--to", "\(folder.path)/s.dualgauge", "--routes", routes, "--json")
            #expect(result.code == 0, "\(result.errors)\(result.output)")
        }
    }

    @Test("A server can be either endpoint", arguments: ["http", "ws"])
    func servers(_ scheme: String) async throws {
        let folder = try TemporaryFolder()
        try await RunningBridge.run { bridge in
            let revision = try JSONValue(try await bridge.ask("PUT", "/shop/a", #"{"x":1}"#).body)["rev"]?.string ?? ""
            let dump = try folder.write(#"{"_id":"a","_rev":"\#(revision)","x":1}"# + "\n", to: "dump.jsonl")
            let server = "\(scheme)://127.0.0.1:\(bridge.port)/shop"
            for ends in [[dump, server], [server, dump]] {
                let result = try await Program.run(["verify"] + ends + ["--json"])
                #expect(result.code == 0, "\(result.errors)\(result.output)")
                #expect(try JSONValue(Array(result.output.utf8))["verification"]?["equal"]?.int == 1)
            }
        }
    }

    @Test("An unreachable endpoint gives exit code 3, on either side", arguments: ["http", "ws"])
    func unreachable(_ scheme: String) async throws {
        let folder = try TemporaryFolder()
        let there = try folder.write(#"{"_id":"a","_rev":"1-aa"}"# + "\n", to: "one.jsonl")
        let gone = "\(scheme)://127.0.0.1:1/shop"
        for ends in [[there, gone], [gone, there]] {
            let result = try await Program.run(["verify"] + ends + ["--max-attempts", "1"])
            #expect(result.code == 3 && result.errors.contains("connection refused"), "\(result.code) \(result.errors)")
            let complaint = result.errors.split(separator: "\n").last ?? ""
            #expect(complaint.hasPrefix("dualgauge: \(gone)") && !complaint.contains("NIO"), "\(result.errors)")
        }
    }
}
