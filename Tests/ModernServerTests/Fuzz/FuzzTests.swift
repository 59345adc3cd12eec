import Access
import BLIP
import Documents
import Foundation
import Gateway
import Logging
import ModernProtocol
import ModernServer
import ModernTestSupport
import Storage
import TestSupport
import Testing

/// Damaged messages of 2.x+ clients: every request gets a reply, other clients are not affected, and nothing is lost. `make fuzz` sends
/// millions.
@Suite("Fuzzing the listener", .timeLimit(.minutes(600)))
struct FuzzTests {
    /// The number of messages or frames per connection, and of connections per database.
    private static let ofConnection = 50
    private static let connections = 200

    @Test("Every damaged message gets a reply or an error", arguments: Subprotocol.allCases)
    func messages(subprotocol: Subprotocol) async throws {
        var inputs = FuzzInputs(FuzzSamples.requests, tokens: FuzzSamples.tokens)
        while !inputs.isOver {
            var bridge = try await TestBridge { $0.deltaSync = true }
            // The clients do not pull, so the listener must not wait for a pull.
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

    /// Sends all of these requests at once, and disconnects after the replies.
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
        #expect(await !client.isOver, "The connection ended for a well-formed message")
        await theirs.close(code: 1000, reason: "")
        _ = await (session, reading)
    }

    @Test("A connection with damaged frames ends with a reason, and other connections continue")
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
                // Some frames of a connection are valid, so that damaged ones arrive in the middle of a message.
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

    /// The frames of a valid client.
    private static var frames: [[UInt8]] {
        let connection = BLIPConnection()
        for sample in FuzzSamples.requests { _ = try? connection.send(request: FuzzSamples.request(Array(sample.utf8), collection: nil)) }
        var frames: [[UInt8]] = []
        while let frame = connection.nextFrame() { frames.append(frame) }
        return frames
    }
}

extension TestPeer {
    /// Expects a reply to this client's request while another client's connection fails.
    fileprivate func waitForAnswer() async {
        let reply = try? await ask("getCheckpoint", ["client": "bystander"])
        #expect(reply?.errorCode == 404)
    }
}
