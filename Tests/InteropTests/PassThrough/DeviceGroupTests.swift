import BridgeConfiguration
import Cutover
import Documents
import Foundation
import Gateway
import HTTP
import Server
import TestSupport
import Testing

@Suite("Both groups of devices, and the guard of moves", .timeLimit(.minutes(2)))
struct DeviceGroupTests {
    private static let picky = "function (doc) { if (doc.bad) { throw({forbidden: \"not like this\"}); } }"
    private static let all = #"{"addresses":["127.0.0.1"]}"#

    /// A guard that permits two errors among a hundred requests.
    private static var guarded: DevicesConfiguration {
        var devices = DevicesConfiguration()
        devices.guardRules = GuardRules()
        devices.guardRules?.errorRate = Share(hundredths: 200)
        devices.guardRules?.window = 10
        return devices
    }

    private static func devices(_ world: CutoverWorld, _ body: String = "", status: Int = 200) async throws -> JSONValue {
        let answer = try await world.new.admin(body.isEmpty ? "GET" : "POST", "/shop/_cutover/devices", body)
        #expect(answer.status == status, "\(answer.text)")
        return try answer.json
    }

    /// What a device does: 2 documents written by a batch, 1 conflict, 1 refused and 1 alone; 3 read; a feed from a position or from the beginning.
    private static func work(_ world: CutoverWorld, _ prefix: String, since: Int) async throws {
        func send(_ method: String, _ path: String, _ body: String = "", _ status: Int) async throws {
            let answer = try await world.new.ask(method, "/shop/\(path)", body)
            #expect(answer.status == status, "\(method) \(path) \(answer.text)")
        }
        try await send("PUT", "\(prefix)a", "{}", 201)
        let batch = #"{"docs":[{"_id":"\#(prefix)b"},{"_id":"\#(prefix)a"},{"_id":"\#(prefix)c"},{"_id":"\#(prefix)d","bad":true}]}"#
        try await send("POST", "_bulk_docs", batch, 201)
        try await send("PUT", "\(prefix)a", "{}", 409)
        try await send("GET", "\(prefix)a", "", 200)
        try await send("GET", "\(prefix)nothing", "", 404)
        try await send("POST", "_bulk_get", #"{"docs":[{"id":"\#(prefix)a"},{"id":"\#(prefix)b"}]}"#, 200)
        try await send("GET", "_changes?since=\(since)", "", 200)
    }

    @Test("The figures of both groups are counted in the same way")
    func figures() async throws {
        try await CutoverWorld.run {
            $0.firstStage = .dual
            $0.devices = DevicesConfiguration()
        } old: {
            $0.collections.append(CollectionConfiguration(name: .default, syncFunction: Self.picky))
        } database: {
            $0.configuration.collections.append(CollectionConfiguration(name: .default, syncFunction: Self.picky))
        } _: { world in
            try await Self.work(world, "x", since: 5)
            _ = try await Self.devices(world, Self.all)
            try await Self.work(world, "y", since: 0)
            let groups = try #require(try await Self.devices(world)["groups"])
            for side in ["here", "oldServer"] {
                let group = try #require(groups[side])
                func number(_ name: String) -> Int? { group[name]?.int }
                #expect(number("requests") == 7 && number("received") == 3 && number("refused") == 1, "\(side) \(group)")
                #expect(number("conflicts") == 2 && number("sent") == 3, "\(side) \(group)")
                #expect(group["p50"] != .null && group["errors"]?["server"]?.int == 0)
            }
            // The device has read from 5 at the old server, and begins anew here.
            #expect(groups["here"]?["rescans"]?.int == 1 && groups["oldServer"]?["rescans"]?.int == 0)
            #expect(groups["here"]?["devices"]?.int == 1 && groups["oldServer"]?["devices"]?.int == 0)
            #expect(groups["series"]?.array?.isEmpty == false)
            let status = try await world.status()
            #expect(status["devices"]?["groups"]?["here"]?["requests"]?.int == 7)
            let metrics = try await world.new.admin("GET", "/metrics").text
            #expect(metrics.contains(#"dualgauge_devices_documents_total{database="shop",side="oldServer",outcome="conflict"} 2"#))
            #expect(metrics.contains(#"dualgauge_devices_requests_total{database="shop",side="here",outcome="ok"} 7"#))
            #expect(metrics.contains(#"dualgauge_devices_seen{database="shop",side="here",kind="devices"} 1"#))
            #expect(metrics.contains(#"dualgauge_devices_request_seconds_count{database="shop",side="here"} 6"#))
        }
    }

    @Test("The fleet has the devices that are passed on, with their sides")
    func fleet() async throws {
        try await CutoverWorld.run {
            $0.firstStage = .dual
            $0.devices = DevicesConfiguration()
        } _: { world in
            #expect(try await world.new.ask("GET", "/shop/_changes").status == 200)
            func sides() async throws -> [String?] {
                let clients = try await world.new.admin("GET", "/shop/_fleet").json["clients"]?.array ?? []
                return clients.filter { $0["generation"]?.int == 1 }.map { $0["side"]?.string }
            }
            #expect(try await sides() == ["oldServer"])
            _ = try await Self.devices(world, Self.all)
            #expect(try await sides() == ["here"])
            try await world.force(.advance)
            #expect(try await sides() == [nil])
        }
    }

    @Test(
        "A sync function that refuses moved devices' documents: the guard takes the move back, with an entry and a hook; then moves need `resume`"
    )
    func takenBack() async throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/hook.txt"
        let hook = "\(folder.path)/hook.sh"
        let script = "#!/bin/sh\nprintf '%s %s' \"$DUALGAUGE_ACTION\" \"$DUALGAUGE_REASON\" > '\(file)'\n"
        try script.write(toFile: hook, atomically: true, encoding: .utf8)
        try ExecutableFile.mark(hook)
        try await CutoverWorld.run {
            $0.firstStage = .dual
            $0.devices = Self.guarded
            $0.hooks.after = [hook]
        } database: {
            $0.configuration.collections.append(CollectionConfiguration(name: .default, syncFunction: Self.picky))
        } _: { world in
            try await world.caughtUp()
            _ = try await Self.devices(world, #"{"percent":0.01,"addresses":["10.0.0.1"]}"#)
            _ = try await Self.devices(world, Self.all)
            for number in 0..<GuardRules.minimumFailures {
                #expect(try await world.new.ask("PUT", "/shop/bad\(number)", #"{"bad":true}"#).status == 403)
            }
            try await eventually { try await Self.devices(world)["addresses"]?.array?.first?.string == "10.0.0.1" }
            let state = try await Self.devices(world)
            #expect(state["halted"]?["pending"]?.bool == false && state["guard"]?["errorRate"]?.int == 2)
            let reason = try #require(state["halted"]?["reason"]?.string)
            #expect(reason.contains("100 %"))
            #expect(try await world.new.ask("PUT", "/shop/good", "{}").status == 201)
            #expect(try await Self.devices(world)["groups"]?["oldServer"]?["received"]?.int == 1)
            let history = try await world.status()["history"]?.array ?? []
            #expect(history.prefix(2).map { $0["outcome"]?.string } == ["devices", "halted"])
            #expect(history.first?["reason"]?.string?.hasSuffix("taken back by the guard") == true)
            await eventually { (try? String(contentsOfFile: file, encoding: .utf8)) == "guard \(reason)" }

            let refusal = try await Self.devices(world, Self.all, status: 412)
            #expect(refusal["reason"]?.string?.contains("The guard has halted") == true)
            _ = try await Self.devices(world, #"{"back":true}"#)
            let resumed = try await Self.devices(world, #"{"resume":true,"addresses":["127.0.0.1"]}"#)
            #expect(resumed["halted"] == .null && resumed["addresses"]?.array?.count == 1)
        }
    }

    @Test("After a move is taken back, the devices that stay are watched: if they are worse off, too, all go back")
    func takenBackEntirely() async throws {
        try await CutoverWorld.run {
            $0.firstStage = .dual
            $0.devices = Self.guarded
        } database: {
            $0.configuration.collections.append(CollectionConfiguration(name: .default, syncFunction: Self.picky))
        } _: { world in
            try await world.caughtUp()
            _ = try await Self.devices(world, Self.all)
            _ = try await Self.devices(world, #"{"percent":50}"#)
            func fail() async throws {
                for number in 0..<GuardRules.minimumFailures {
                    #expect(try await world.new.ask("PUT", "/shop/bad\(number)", #"{"bad":true}"#).status == 403)
                }
            }
            try await fail()
            try await eventually { try await Self.devices(world)["percent"]?.int == 0 }
            #expect(try await Self.devices(world)["addresses"]?.array?.count == 1)
            try await fail()
            try await eventually { try await Self.devices(world)["addresses"]?.array?.isEmpty == true }
            #expect(try await Self.devices(world)["halted"]?["pending"]?.bool == false)
            let history = try await world.status()["history"]?.array ?? []
            #expect(history.prefix(4).map { $0["outcome"]?.string } == ["devices", "halted", "devices", "halted"])
        }
    }

    @Test("While a gate is closed, the guard only halts; with `halt` it never takes back")
    func halted() async throws {
        for action in GuardRules.Action.allCases {
            try await PassThroughWorld.run(at: .dual) { (configuration: inout DevicesConfiguration) in
                configuration.guardRules = GuardRules()
                configuration.guardRules?.errorRate = Share(hundredths: 200)
                configuration.guardRules?.action = action
                configuration.guardRules?.window = 10
            } _: { (world: PassThroughWorld) async throws in
                #expect(try await world.bridge.admin("POST", "/shop/_cutover/devices", Self.all).status == 200)
                for _ in 0..<GuardRules.minimumFailures { #expect(try await world.bridge.ask("PUT", "/shop/doc", "{").status == 400) }
                try await eventually { try await world.bridge.admin("GET", "/shop/_cutover/devices").json["halted"] != .null }
                let state = try await world.bridge.admin("GET", "/shop/_cutover/devices").json
                #expect(state["halted"]?["pending"]?.bool == (action == .back) && state["addresses"]?.array?.count == 1)
            }
        }
    }
}
