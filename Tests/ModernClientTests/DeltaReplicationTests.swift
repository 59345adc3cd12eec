import BLIP
import Coordination
import Documents
import Gateway
import ModernTestSupport
import Storage
import Testing

@testable import ModernClient
@testable import ModernProtocol

@Suite("Delta sync between the replicator and the listener", .timeLimit(.minutes(2)))
struct DeltaReplicationTests {
    /// A document that is worth a delta.
    static func body(_ number: Int, padding: Int = 2_000) -> String {
        "{\"title\":\"a document\",\"n\":\(number),\"pad\":\"\(String(repeating: "x", count: padding))\",\"price\":1.50}"
    }

    private func configuration(_ pair: ReplicationPair, _ type: ReplicatorType = .pushAndPull, isOn: Bool = true) -> ReplicatorConfiguration
    {
        var configuration = pair.configuration(type)
        configuration.enableDeltaSync = isOn
        return configuration
    }

    private func run(_ pair: ReplicationPair, _ configuration: ReplicatorConfiguration) async throws -> DeltaStatistics {
        let replicator = try pair.replicator(configuration)
        await replicator.start()
        let status = await replicator.waitUntilStopped()
        #expect(status.error == nil)
        #expect(try await pair.here.state() == pair.there.state())
        return replicator.deltaStatistics
    }

    @Test("Changes are sent as deltas in both directions, and save bytes")
    func bothWays() async throws {
        let pair = try await ReplicationPair(there: { $0.deltaSync = true })
        let configuration = configuration(pair)
        for number in 0..<20 {
            try await pair.here.put("h\(number)", Self.body(0))
            try await pair.there.put("t\(number)", Self.body(0))
        }
        #expect(try await run(pair, configuration) == DeltaStatistics())
        for number in 0..<20 {
            try await pair.here.put("h\(number)", Self.body(1))
            try await pair.there.put("t\(number)", Self.body(1))
        }
        try await pair.here.put("h0", "{}", deleted: true)
        try await pair.there.put("t0", "{}", deleted: true)
        try await pair.here.put("h1", #"{"now":"small"}"#)
        let statistics = try await run(pair, configuration)
        #expect(statistics.sent == 18 && statistics.received == 19)
        #expect(statistics.sentBytesSaved > 18 * 2_000 && statistics.receivedBytesSaved > 19 * 2_000)
        #expect(statistics.sentInVain == 0 && statistics.refused == 0)
        // A revision that arrived as a delta is a base for the next one.
        for number in 1..<20 {
            try await pair.here.put("t\(number)", Self.body(2))
            try await pair.there.put("h\(number)", Self.body(2))
        }
        let next = try await run(pair, configuration)
        #expect(next.sent == 19 && next.received == 18)
    }

    @Test("Nothing is sent as a delta unless both sides enable it", arguments: [(false, false), (true, false), (false, true)])
    func offByDefault(_ here: Bool, _ there: Bool) async throws {
        let pair = try await ReplicationPair(there: { if there { $0.deltaSync = true } })
        let configuration = configuration(pair, isOn: here)
        for number in 0..<2 {
            try await pair.here.put("h", Self.body(number))
            try await pair.there.put("t", Self.body(number))
            #expect(try await run(pair, configuration) == DeltaStatistics())
        }
        #expect(!DatabaseConfiguration(name: "db").deltaSync)
        // As in Couchbase Lite, the server decides.
        #expect(ReplicatorConfiguration(target: pair.endpoint()).enableDeltaSync)
    }

    @Test("Deltas keep attachments that stay, change, are added and are removed")
    func attachments() async throws {
        let pair = try await ReplicationPair(there: { $0.deltaSync = true })
        for (writer, other) in [(pair.here, pair.there), (pair.there, pair.here)] {
            let id = writer.database === pair.here.database ? "h" : "t"
            var expected = DeltaStatistics()
            for (number, bytes) in ["one", "one", "two", "", "three"].enumerated() {
                try await put(id, number, bytes.isEmpty ? nil : Array(bytes.utf8), writer)
                let statistics = try await run(pair, configuration(pair))
                // LiteCore may refuse a delta that changes attachments of its base: here each delta but the last, whose base has none.
                let isDelta = number == 4
                if isDelta { expected.sent += 1 }
                #expect((id == "h" ? statistics.sent : statistics.received) == (isDelta ? 1 : 0), "\(id) \(number)")
                #expect(statistics.refused == 0 && statistics.sentInVain == 0)
                let found = try await other.read { try $0.document(id).flatMap { try $0.content(of: $0.winner)?.body } }
                let set = try found?.attachments.map { try AttachmentSet($0) } ?? AttachmentSet()
                #expect(set.entries.map(\.digest) == (bytes.isEmpty ? [] : [AttachmentDigest.sha1(of: Array(bytes.utf8))]))
                #expect(found?.properties == Array(Self.body(number).utf8))
            }
        }
    }

    private func put(_ id: String, _ number: Int, _ bytes: [UInt8]?, _ keyspace: Keyspace) async throws {
        let winner = try await keyspace.read { try $0.document(id)?.winner }
        let set = bytes.map { bytes in
            AttachmentSet([
                AttachmentMetadata(
                    name: "photo", digest: .sha1(of: bytes), length: bytes.count, revpos: number + 1, contentType: "text/plain")
            ])
        }
        _ = try await keyspace.write(
            RevisionWrite(
                id: id, kind: .edit(parent: winner), isDeleted: false, body: Array(Self.body(number).utf8), attachments: set,
                attachmentBytes: bytes.map { [.sha1(of: $0): $0] } ?? [:]))
    }

    @Test("Each named collection has its own deltas")
    func collections() async throws {
        let pair = try await ReplicationPair(there: { $0.deltaSync = true })
        var configuration = ReplicatorConfiguration(target: pair.endpoint())
        configuration.enableDeltaSync = true
        for name in ["sales.orders", "sales.customers"] {
            configuration.addCollection(try #require(CollectionName(name).flatMap { pair.local.database.keyspace($0) }))
        }
        for number in 0..<2 {
            for collection in configuration.collections {
                try await collection.keyspace.put("here", Self.body(number))
                try await pair.remote.database.keyspace(collection.name)?.put("there", Self.body(number))
            }
            let replicator = try pair.replicator(configuration)
            await replicator.start()
            #expect(await replicator.waitUntilStopped().error == nil)
            #expect(replicator.deltaStatistics.sent == number * 2 && replicator.deltaStatistics.received == number * 2)
            for collection in configuration.collections {
                #expect(try await pair.remote.database.keyspace(collection.name)?.state() == collection.keyspace.state())
            }
        }
    }

    @Test("Without the base's body, the whole revision is sent")
    func forgottenBases() async throws {
        let pair = try await ReplicationPair(
            { $0.limits.recentBodies = 0 },
            there: {
                $0.deltaSync = true
                $0.limits.recentBodies = 0
            })
        for number in 0..<3 {
            try await pair.here.put("h", Self.body(number))
            try await pair.there.put("t", Self.body(number))
            #expect(try await run(pair, configuration(pair)) == DeltaStatistics())
        }
    }

    @Test("A conflict is resolved as without deltas")
    func conflicts() async throws {
        let pair = try await ReplicationPair(there: { $0.deltaSync = true })
        try await pair.here.put("doc", Self.body(0))
        _ = try await run(pair, configuration(pair))
        try await pair.here.put("doc", Self.body(1))
        try await pair.there.put("doc", Self.body(2))
        try await pair.there.put("doc", Self.body(3))
        _ = try await run(pair, configuration(pair))
        #expect(try await pair.here.state().first?.hasSuffix(Self.body(3)) == true)
    }
}
