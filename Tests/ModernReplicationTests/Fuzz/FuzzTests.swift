import Access
import BLIP
import Documents
import Foundation
import Gateway
import Logging
import ModernProtocol
import ModernServer
import Storage
import TestSupport
import Testing

/// What 2.x+ clients send, damaged in thousands of ways: every request is answered, nobody else notices, and nothing is lost.
/// `make fuzz` takes millions.
@Suite("Fuzzing the listener", .timeLimit(.minutes(600)))
struct FuzzTests {
    /// So many messages or frames go to one connection, and so many connections to one database.
    private static let ofConnection = 50
    private static let connections = 200

    @Test("Messages: each is answered, with a reply or with what was wrong with it", arguments: Subprotocol.allCases)
    func messages(subprotocol: Subprotocol) async throws {
        var inputs = FuzzInputs(FuzzSamples.requests, tokens: FuzzSamples.tokens)
        while !inputs.isOver {
            var bridge = try await TestBridge { $0.deltaSync = true }
            // None of them pulls because it is waited for.
            bridge.limits.timeToPull = .milliseconds(1)
            inputs = try await bridge.connect { [bridge, inputs] bystander in
                var inputs = inputs
                for round in 0..<Self.connections where !inputs.isOver {
                    let seed = UInt64(inputs.choice(0..<1_000_000))
                    let isNamed = subprotocol != .v2 && round % 2 == 0
                    try await Self.converse(bridge, subprotocol, inputs.next(Self.ofConnection), isNamed: isNamed, seed: seed)
                    #expect(try await bystander.ask("getCheckpoint", ["client": "bystander"]).errorCode == 404)
                }
                return inputs
            }
        }
    }

    /// A client that asks for all of this at once, and leaves when it has its answers.
    private static func converse(_ bridge: TestBridge, _ subprotocol: Subprotocol, _ batch: [[UInt8]], isNamed: Bool, seed: UInt64)
        async throws
    {
        let (ours, theirs) = await SocketEnd.pair()
        let client = FuzzClient(theirs, seed: seed)
        let listener = bridge.listener, database = bridge.database
        async let session: Void = listener.serve(ours, database: database, principal: .administrator, subprotocol: subprotocol)
        async let reading: Void = client.run()
        if isNamed {
            let names = #"{"checkpoint_ids":["cp-a","cp-b"],"collections":["_default","sales.orders"]}"#
            await client.ask([.request("getCollections", properties: ["uuid": VersionClient.uuid], body: Array(names.utf8))])
        }
        await client.ask(batch.map { FuzzSamples.request($0, collection: isNamed ? $0.count % 2 : nil) })
        #expect(await !client.isOver, "The connection ended for a message that is well-formed")
        await theirs.close(code: 1000, reason: "")
        _ = await (session, reading)
    }

    @Test("Frames: a connection whose client goes wrong ends with a reason, and others go on")
    func frames() async throws {
        let recorded = try [
            "default-push-blob", "default-pull-blob", "collections-push", "lite4.1-push-update", "default-conflict-pushpull",
        ]
        .flatMap { try Capture($0).lines.filter(\.isClient).compactMap(\.frame) }
        let fixed = Self.frames
        try #require(!(recorded + fixed).isEmpty)
        let bridge = try await TestBridge()
        try await bridge.connect { bystander in
            var inputs = FuzzInputs(recorded + fixed, tokens: [[0], [0x80, 0x80], [0xff], [1, 0], [1, 0x48], [1, 0x34]])
            while !inputs.isOver {
                let batch = inputs.next(Self.ofConnection)
                let (ours, theirs) = await SocketEnd.pair()
                let listener = bridge.listener, database = bridge.database
                async let session: Void = listener.serve(ours, database: database, principal: .administrator, subprotocol: .v3)
                // Some of a connection's frames are right, so that the others meet one that is under way.
                let frames = inputs.choice(0..<2) == 0 ? batch : Array(fixed.prefix(inputs.choice(0..<fixed.count))) + batch
                try? await theirs.send(frames)
                async let reading: Void = { while (try? await theirs.receive()) != nil {} }()
                await bystander.waitForAnswer()
                await theirs.close(code: 1000, reason: "")
                _ = await (session, reading)
                if let code = await theirs.closeCode { #expect(code > 1001) }
            }
        }
    }

    /// A right client's frames.
    private static var frames: [[UInt8]] {
        let connection = BLIPConnection()
        for sample in FuzzSamples.requests { _ = try? connection.send(request: FuzzSamples.request(Array(sample.utf8), collection: nil)) }
        var frames: [[UInt8]] = []
        while let frame = connection.nextFrame() { frames.append(frame) }
        return frames
    }
}

extension TestPeer {
    /// Has this client's own request answered while another's connection goes wrong.
    fileprivate func waitForAnswer() async {
        let reply = try? await ask("getCheckpoint", ["client": "bystander"])
        #expect(reply?.errorCode == 404)
    }
}
