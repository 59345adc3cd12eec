import BridgeConfiguration
import Cutover
import Documents
import Gateway
import HTTP
import TestSupport
import Testing

@Suite("A device that is moved finds what it has seen at the old server", .timeLimit(.minutes(2)))
struct CatchUpTests {
    private static func act(_ world: CutoverWorld, _ action: String) async throws {
        let answer = try await world.new.admin("PUT", "/shop/_replicationStatus/legacy?action=\(action)")
        #expect(answer.status == 200, "\(answer.text)")
    }

    private static func move(_ world: CutoverWorld, _ body: String) async throws {
        let answer = try await world.new.admin("POST", "/shop/_cutover/devices", body)
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test("A document whose row was read at the old server is answered when the pull has it, not by 404; other devices do not wait")
    func documents() async throws {
        try await CutoverWorld.run {
            $0.firstStage = .dual
            $0.devices = DevicesConfiguration()
        } _: { world in
            try await CutoverWorld.write("first", on: world.old)
            try await CutoverWorld.arrive("first", at: world.new)
            try await world.caughtUp()
            try await Self.act(world, "stop")
            try await eventually {
                try await world.new.admin("GET", "/shop/_replicationStatus/legacy").json["status"]?.string == "stopped"
            }
            try await CutoverWorld.write("seen", on: world.old)
            let rows = try await world.new.ask("GET", "/shop/_changes?since=0").json["results"]?.array ?? []
            #expect(rows.contains { $0["id"]?.string == "seen" })

            try await Self.move(world, #"{"addresses":["127.0.0.1"]}"#)
            let device = try world.new.connect()
            try await device.send("GET /shop/seen HTTP/1.1\r\nHost: a\r\n\r\n")
            // Collections are served here at each stage.
            #expect(try await world.new.ask("GET", "/shop.sales.orders/nothing").status == 404)
            try await Self.act(world, "start")
            #expect(try await device.answer().status == 200)
            #expect(try await world.new.ask("GET", "/shop/nothing").status == 404)
        }
    }

    @Test("So it is after a start with other rules of the configuration")
    func atStart() async throws {
        try await CutoverWorld.withOld { old in
            for number in 0..<200 { try await CutoverWorld.write("seen-\(number)", on: old) }
            try await CutoverWorld.run(over: old) {
                $0.firstStage = .dual
                $0.devices = DevicesConfiguration()
                $0.devices?.rules.addresses = [AddressRange("127.0.0.0/8")].compactMap(\.self)
            } _: { (world: CutoverWorld) async throws in
                #expect(try await world.new.ask("GET", "/shop/seen-199").status == 200)
            }
        }
    }

    @Test("The step that moves the last devices pulls what they have written at the old server until then")
    func lastWrites() async throws {
        let folder = try TemporaryFolder()
        let rows = (0..<500).map { #"{"_id":"last-\#($0)"}"# }.joined(separator: ",")
        let batch = try folder.write(#"{"docs":[\#(rows)]}"#, to: "batch.json")
        try await CutoverWorld.withOld { old in
            // The hook runs after the gates have been measured.
            let hook = try folder.write(
                """
                #!/bin/sh
                curl -sf -H 'Content-Type: application/json' --data '@\(batch)' '\(old.url)/shop/_bulk_docs' > /dev/null
                """, to: "hook.sh")
            try ExecutableFile.mark(hook)
            try await CutoverWorld.run(over: old) {
                $0.firstStage = .dual
                $0.devices = DevicesConfiguration()
                $0.hooks.before = [hook]
            } _: { (world: CutoverWorld) async throws in
                try await world.step(.advance, to: .switched)
                #expect(try await CutoverWorld.leaves(of: world.new).count == 500)
            }
        }
    }

    @Test("Devices are moved although the old server cannot be asked")
    func unreachable() async throws {
        try await PassThroughWorld.run(at: .dual) { world in
            world.old.answerAll(500)
            let answer = try await world.bridge.admin("POST", "/shop/_cutover/devices", #"{"addresses":["127.0.0.1"]}"#)
            #expect(answer.status == 200)
            #expect(try await world.bridge.ask("GET", "/shop/nothing").status == 404)
        }
    }
}
