import BridgeConfiguration
import Cutover
import Documents
import Gateway
import Server
import TestSupport
import Testing

@Suite("Reads that are passed on, and answered here, too", .timeLimit(.minutes(2)))
struct ComparedReadTests {
    private static func comparison(_ world: CutoverWorld) async throws -> JSONValue {
        try #require(try await world.new.admin("GET", "/shop/_cutover/devices").json["comparison"])
    }

    /// Waits until so many reads were compared or skipped.
    private static func settled(_ world: CutoverWorld, _ count: Int) async throws -> JSONValue {
        try await eventually {
            let found = try await comparison(world)
            let skipped = (found["skipped"]?.members ?? []).reduce(0) { $0 + ($1.value.int ?? 0) }
            return (found["equal"]?.int ?? 0) + (found["different"]?.int ?? 0) + skipped == count
        }
        return try await comparison(world)
    }

    @Test("Responses with the same documents are equal, in every form, and nothing is written")
    func equal() async throws {
        try await CutoverWorld.run {
            $0.devices = DevicesConfiguration()
            $0.devices?.comparedReads = .all
        } _: { world in
            let attachment = #"{"n":1,"_attachments":{"x":{"data":"aGVsbG8=","content_type":"text/plain"}}}"#
            try await CutoverWorld.write("a", attachment, on: world.old)
            try await CutoverWorld.write("b", #"{"n":2.50}"#, on: world.old)
            try await world.converged(2)
            let wanted = #"{"docs":[{"id":"a"},{"id":"b"},{"id":"c"}]}"#
            for (method, path, body) in [
                ("GET", "a", ""), ("GET", "a?attachments=true&revs=true", ""), ("GET", "missing", ""), ("GET", "_changes", ""),
                ("GET", "_changes?since=1000000000&limit=1&style=all_docs", ""), ("POST", "_bulk_get?revs=true&attachments=true", wanted),
            ] {
                let answer = try await world.new.ask(method, "/shop/\(path)", body)
                #expect(answer.status == (path == "missing" ? 404 : 200), "\(path)")
            }
            let found = try await Self.settled(world, 6)
            #expect(found["equal"]?.int == 6 && found["different"]?.int == 0, "\(found)")
            let metrics = try await world.new.admin("GET", "/metrics").text
            #expect(metrics.contains(#"dualgauge_reads_compared_total{database="shop",result="equal"} 6"#))
            #expect(try await CutoverWorld.leaves(of: world.new).count == 2)
        }
    }

    @Test("A document that the sync function hides here is a difference, with an example")
    func different() async throws {
        let hiding = "function (doc) { channel(doc.hidden ? \"none\" : \"all\"); }"
        try await CutoverWorld.run {
            $0.devices = DevicesConfiguration()
            $0.devices?.comparedReads = .all
        } database: {
            $0.configuration.guest = GuestConfiguration(isEnabled: true, channels: ["all"])
            $0.configuration.collections.append(CollectionConfiguration(name: .default, syncFunction: hiding))
        } _: { world in
            try await CutoverWorld.write("a", #"{"hidden":true}"#, on: world.old)
            try await CutoverWorld.write("b", on: world.old)
            try await world.converged(2)
            #expect(try await world.new.ask("GET", "/shop/_changes").status == 200)
            #expect(try await world.new.ask("GET", "/shop/a").status == 200)
            let found = try await Self.settled(world, 2)
            #expect(found["different"]?.int == 2, "\(found)")
            #expect(found["differences"]?["missing"]?.int == 1 && found["differences"]?["status"]?.int == 1)
            let example = found["examples"]?.array?.first { $0["kind"]?.string == "missing" }
            #expect(example?["id"]?.string == "a" && example?["path"]?.string == "/shop/_changes")
        }
    }

    @Test("Nothing is compared unless the configuration says so")
    func off() async throws {
        try await CutoverWorld.run {
            $0.devices = DevicesConfiguration()
        } _: { (world: CutoverWorld) async throws in
            #expect(try await Self.comparison(world) == .null)
        }
    }
}
