import Documents
import Gateway
import SQLiteStorage
import Storage
import TestSupport
import Testing

@Suite("dualgauge parked", .serialized)
struct ParkedCommandTests {
    private func park(_ ids: [String], of replication: String = "legacy", in bridge: RunningBridge) async throws {
        for id in ids {
            let revision = try #require(try JSONValue(try await bridge.ask("PUT", "/shop/\(id)", "{}").body)["rev"]?.string)
            let parked = ParkedRevision(
                replication: replication, direction: .push, collection: "", id: id, revision: revision, domain: "CBLHTTP", code: 403,
                reason: "not like \u{1b}[31mthis", time: 1)
            try await bridge.store.write { try $0.park([parked]) }
        }
    }

    private func run(_ action: String, _ bridge: RunningBridge, _ arguments: String...) async throws -> Program.Result {
        try await Program.run(["parked", action, "shop", "--admin", "http://127.0.0.1:\(bridge.adminPort)"] + arguments)
    }

    @Test("The list has parked revisions with reasons, by page or replication, without control characters of documents")
    func list() async throws {
        try await RunningBridge.run { bridge in
            let empty = try await run("list", bridge)
            #expect(empty.code == 0 && empty.output == "0 parked\n", "\(empty.errors)")
            try await park(["a", "b", "c"], in: bridge)
            try await park(["d"], of: "other", in: bridge)
            let all = try await run("list", bridge)
            #expect(all.code == 0 && all.output.hasSuffix("4 parked\n"), "\(all.errors)")
            #expect(all.output.contains("not like") && !all.output.contains("\u{1b}"))
            for id in ["a", "b", "c", "d"] { #expect(all.output.contains(" \(id) ")) }
            let page = try JSONValue(Array(try await run("list", bridge, "--limit", "2", "--skip", "1", "--json").output.utf8))
            #expect(page["parked"]?.array?.compactMap { $0["id"]?.string } == ["b", "c"] && page["total"]?.int == 4)
            let other = try await run("list", bridge, "--replication", "other", "--json")
            #expect(try JSONValue(Array(other.output.utf8))["parked"]?.array?.compactMap { $0["id"]?.string } == ["d"])
        }
    }

    @Test("The command forgets only the named revisions")
    func forget() async throws {
        try await RunningBridge.run { bridge in
            try await park(["a", "b"], in: bridge)
            try await park(["a2"], of: "other", in: bridge)
            let unnamed = try await run("forget", bridge)
            #expect(unnamed.code != 0 && unnamed.errors.contains("--all"), "\(unnamed.errors)")
            let one = try await run("forget", bridge, "--id", "a")
            #expect(one.code == 0 && one.output == "1 forgotten; 2 parked\n", "\(one.errors)")
            #expect(try await run("forget", bridge, "--replication", "other").output == "1 forgotten; 1 parked\n")
            #expect(try await run("forget", bridge, "--all").output == "1 forgotten; 0 parked\n")
        }
    }

    @Test("A retry has exit code 0 when all revisions succeed, else 1, with a result for each revision")
    func retry() async throws {
        let picky = "function (doc) { if (doc.bad) { throw({forbidden: \"not like this\"}); } }"
        try await RunningBridge.run({ database in
            database.collections.append(CollectionConfiguration(name: .default, syncFunction: picky))
        }) { (there) async throws in
            try await RunningBridge.run { here in
                #expect(try await here.ask("PUT", "/shop/a", #"{"bad":true}"#).status == 201)
                let body = #"{"remote":"http://127.0.0.1:\#(there.port)/shop","direction":"push","continuous":true}"#
                #expect(try await here.admin("PUT", "/shop/_replication/r", body).status == 201)
                try await eventually { try JSONValue(try await here.admin("GET", "/shop/_parked").body)["total"]?.int == 1 }
                let refused = try await run("retry", here)
                #expect(refused.code == 1 && refused.output.contains("not like this"), "\(refused.output)\(refused.errors)")
                #expect(refused.output.hasSuffix("0 accepted, 1 refused, 0 not tried; 1 parked\n"))
                #expect(try await there.admin("DELETE", "/shop._default._default/_config/sync").status == 200)
                let done = try await run("retry", here, "--replication", "r", "--id", "a")
                #expect(
                    done.code == 0 && done.output == "1 accepted, 0 refused, 0 not tried; 0 parked\n", "\(done.output)\(done.errors)")
                #expect(try await there.ask("GET", "/shop/a").status == 200)
            }
        }
    }

    @Test("An unreachable bridge is reported")
    func unreachable() async throws {
        for action in [["list"], ["retry"], ["forget"]] {
            let all = action == ["forget"] ? ["--all"] : []
            let result = try await Program.run(["parked"] + action + ["shop", "--admin", "http://127.0.0.1:1"] + all)
            #expect(result.code == 3 && !result.errors.isEmpty, "\(result.output)")
        }
    }
}
