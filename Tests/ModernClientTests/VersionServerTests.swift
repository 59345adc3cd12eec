import BLIP
import Coordination
import Documents
import Gateway
import ModernTestSupport
import Storage
import Testing

@testable import ModernClient
@testable import ModernProtocol

/// Messages as Sync Gateway 4.0.0 was observed to send them.
@Suite("Replication with a Sync Gateway 4 that follows a script", .timeLimit(.minutes(2)))
struct VersionServerTests {
    private static let one = "18e9f0cc68800001@BOA02SKaSYC0d/vOEWw0Ew", two = "18e9f0ccce1b0000@gyOu1DMkS3+NGf2KREK4rw"

    private final class Servers: Sendable {
        let all = Lock<[ScriptedServer]>([])
    }

    /// Replicates once.
    private func run(
        _ pair: ReplicationPair, _ type: ReplicatorType, answer: @escaping ScriptedServer.Answer
    ) async throws -> (status: ReplicatorStatus, received: [BLIPMessage]) {
        let servers = Servers()
        var configuration = ReplicatorConfiguration(
            target: MessageEndpoint(uid: "there", subprotocol: .v4) {
                let (ours, theirs) = await SocketEnd.pair()
                let server = ScriptedServer(theirs, answer: answer)
                servers.all.withLock { $0.append(server) }
                Task { await server.run() }
                return ours
            })
        configuration.replicatorType = type
        configuration.maxAttempts = 1
        configuration.addCollection(pair.here)
        let replicator = try pair.replicator(configuration)
        await replicator.start()
        let status = await replicator.waitUntilStopped()
        var received: [BLIPMessage] = []
        for server in servers.all.withLock({ $0 }) { received += await server.received }
        return (status, received)
    }

    /// A server that announces rows, sends revisions after the reply, and accepts pushes.
    private func server(
        _ rows: String, _ revisions: [(BLIPProperties, String)] = [], proposals: @escaping @Sendable (String) -> String = { _ in "[]" }
    ) -> ScriptedServer.Answer {
        { message in
            guard message.type == .request else {
                // The reply to the rows.
                guard message.body.first == UInt8(ascii: "[") else { return [] }
                let end = BLIPMessage.request("changes", properties: ["collection": "0"], body: Array("null".utf8), noReply: true)
                return [end]
                    + revisions.map { properties, body in
                        var all: BLIPProperties = ["collection": "0"]
                        all.add(properties)
                        return .request("rev", properties: all, body: Array(body.utf8), noReply: true)
                    }
            }
            guard !message.noReply else { return [] }
            switch message.profile {
            case "getCollections": return [.reply(to: message.number, body: Array(#"[{"_rev":"0-1","local":0,"time":1}]"#.utf8))]
            case "setCheckpoint": return [.reply(to: message.number, properties: ["rev": "0-2"])]
            case "subChanges":
                return [.reply(to: message.number), .request("changes", properties: ["collection": "0"], body: Array(rows.utf8))]
            case "proposeChanges":
                return [.reply(to: message.number, body: Array(proposals(String(decoding: message.body, as: UTF8.self)).utf8))]
            default: return [.reply(to: message.number)]
            }
        }
    }

    private func bodies(_ received: [BLIPMessage], _ profile: String) -> [String] {
        received.filter { $0.profile == profile && !$0.body.isEmpty && $0.body != Array("[]".utf8) }.map {
            String(decoding: $0.body, as: UTF8.self)
        }
    }

    @Test("Received versions are stored, known the next time, and are parents of later edits here")
    func pull() async throws {
        let pair = try await ReplicationPair()
        let rows = "[[4,\"a2\",\"\(Self.one)\"],[6,\"gone\",\"\(Self.one)\",1],[9,\"a1\",\"\(Self.two)\"]]"
        let revisions: [(BLIPProperties, String)] = [
            (["id": "a2", "rev": Self.one, "sequence": "4"], #"{"n":1}"#),
            (["id": "gone", "rev": Self.one, "sequence": "6", "deleted": "1"], "{}"),
            (["id": "a1", "rev": Self.two, "sequence": "9", "history": Self.one], #"{"by":"c2","n":3}"#),
        ]
        let (status, received) = try await run(pair, .pull, answer: server(rows, revisions))
        #expect(status.error == nil)
        let collections = try #require(received.first)
        #expect(collections.profile == "getCollections" && collections.properties["uuid"]?.count == 36)
        #expect(received.first { $0.profile == "subChanges" }?.properties["versioning"] == "version-vectors")
        #expect(try await pair.here.winnerNames("a1")?.version?.description == "\(Self.two);\(Self.one)")
        #expect(try await pair.here.state().count == 3)
        let again = try await run(pair, .pull, answer: server(rows, []))
        #expect(again.received.filter { $0.type == .reply }.allSatisfy { $0.body.isEmpty || $0.body == Array("[]".utf8) })
        // An edit here is its child, and so is a tombstone.
        try await pair.here.put("a1", #"{"n":4}"#)
        try await pair.here.put("a2", "{}", deleted: true)
        let push = try await run(pair, .push, answer: server("[]"))
        #expect(push.status.error == nil)
        let sent = push.received.filter { $0.profile == "rev" }
        #expect(sent.first { $0.properties["id"] == "a1" }?.properties["history"]?.hasPrefix(Self.two) == true)
        #expect(sent.first { $0.properties["id"] == "a2" }?.properties["deleted"] == "1")
        #expect(sent.allSatisfy { $0.properties["revTree"] == nil && $0.properties["clientRevisions"] == nil })
    }

    @Test("A document from before versions is named by its tree ID, gets the server's version, and is not written")
    func naming() async throws {
        let pair = try await ReplicationPair()
        let old = try await pair.here.put("doc", #"{"n":1}"#)
        let rows = "[[7,\"doc\",\"\(Self.one)\"]]"
        let named: (BLIPProperties, String) = (["id": "doc", "rev": Self.one, "sequence": "7", "history": old.text], #"{"n":1}"#)
        let before = try await pair.here.state()
        let (status, received) = try await run(
            pair, .pushAndPull, answer: server(rows, [named]) { _ in #"[{"status":409,"rev":"\#(old)"}]"# })
        #expect(status.error == nil)
        #expect(received.contains { $0.type == .reply && String(decoding: $0.body, as: UTF8.self).contains("\"\(old)\"") })
        #expect(try await pair.here.state() == before)
        #expect(try await pair.here.winnerNames("doc")?.version?.current.description == Self.one)
        #expect(!received.contains { $0.profile == "rev" })
    }

    @Test("A server that has the document under its tree ID gets an edit as its child")
    func legacyParent() async throws {
        let pair = try await ReplicationPair()
        let old = try await pair.here.put("doc", #"{"n":1}"#)
        try await pair.here.put("doc", #"{"n":2}"#)
        let (status, received) = try await run(
            pair, .push, answer: server("[]") { $0.contains(old.text) ? "[]" : #"[{"status":409,"rev":"\#(old)"}]"# })
        #expect(status.error == nil)
        #expect(bodies(received, "proposeChanges").count == 2)
        #expect(received.first { $0.profile == "rev" }?.properties["history"] == old.text)
    }

    @Test("A refusal with a version that is included here leads to another proposal; any other waits for the pull")
    func parents() async throws {
        let pair = try await ReplicationPair()
        let revision: (BLIPProperties, String) = (["id": "doc", "rev": Self.one, "sequence": "1"], #"{"n":1}"#)
        _ = try await run(pair, .pull, answer: server("[[1,\"doc\",\"\(Self.one)\"]]", [revision]))
        try await pair.here.put("doc", #"{"n":2}"#)
        let count = Lock(0)
        let taken = try await run(
            pair, .push,
            answer: server("[]") { body in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst ? "[{\"status\":409,\"rev\":\"\(Self.one)\"}]" : body.contains("\"\(Self.one)\"") ? "[]" : "[409]"
            })
        #expect(taken.received.filter { $0.profile == "rev" }.count == 1)
        try await pair.here.put("doc", #"{"n":3}"#)
        let refused = try await run(pair, .push, answer: server("[]") { _ in "[{\"status\":409,\"rev\":\"\(Self.two)\"}]" })
        #expect(!refused.received.contains { $0.profile == "rev" })
        #expect(try await pair.here.state()[0].hasSuffix(#"{"n":3}"#))
    }
}
