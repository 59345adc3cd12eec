import BLIP
import Documents
import Gateway
import ModernTestSupport
import Storage
import Testing

@testable import ModernClient

@Suite("2.x+: every revision that does not arrive is parked", .timeLimit(.minutes(2)))
struct RefusedRevisionTests {
    private static let long = String(repeating: "x", count: 245)

    private func configuration(
        _ pair: ReplicationPair, _ type: ReplicatorType, answer: ScriptedServer.Answer? = nil,
        change: (inout ReplicatorConfiguration.CollectionConfiguration) -> Void = { _ in }
    ) -> ReplicatorConfiguration {
        var configuration = pair.configuration(type, change)
        if let answer {
            let collection = configuration.collections[0]
            configuration = ReplicatorConfiguration(
                target: MessageEndpoint(uid: "there") {
                    let (ours, theirs) = await SocketEnd.pair()
                    let server = ScriptedServer(theirs, answer: answer)
                    Task { await server.run() }
                    return ours
                })
            configuration.replicatorType = type
            configuration.addCollection(collection.keyspace, config: collection.configuration)
        }
        configuration.maxAttempts = 1
        configuration.parking = Parking("r", in: pair.local.database)
        return configuration
    }

    private func parked(_ pair: ReplicationPair) async throws -> [String] {
        try await pair.local.database.parked(limit: 100).revisions.map { "\($0.direction) \($0.id) \($0.code)" }
    }

    @Test("A document whose ID 2.x+ refuses is parked, does not block others, and is unparked when it is deleted")
    func longIDs() async throws {
        let pair = try await ReplicationPair()
        try await pair.here.put(Self.long, "{}")
        try await pair.here.put("b", "{}")
        try await pair.here.put("_design/views", "{}")
        let (status, documents) = try await pair.run(configuration(pair, .push))
        #expect(status.error == nil && documents == [">b", ">\(Self.long) 10400"])
        #expect(try await pair.there.state().count == 1)
        let entry = try #require(try await pair.local.database.parked(limit: 10).revisions.first)
        #expect(try await parked(pair) == ["push \(Self.long) 10400"])
        #expect(entry.reason.contains("245") && entry.reason.contains("another ID"), "\(entry.reason)")
        // The checkpoint has passed it.
        #expect(try await pair.run(configuration(pair, .push)).documents == [])
        // A document that the other side never had is not deleted there.
        try await pair.here.put(Self.long, "{}", deleted: true)
        #expect(try await pair.run(configuration(pair, .push)).documents == [])
        #expect(try await parked(pair) == [])
    }

    @Test("A revision with a generation beyond 2.x+ is parked")
    func generation() async throws {
        let pair = try await ReplicationPair()
        let id = try #require(RevisionID("5000000000-aa"))
        _ = try await pair.here.write(
            RevisionWrite(id: "a", kind: .replicated(history: [id], conflicts: .branch), isDeleted: false, body: Array("{}".utf8)))
        #expect(try await pair.run(configuration(pair, .push)).status.error == nil)
        #expect(try await parked(pair) == ["push a 10400"])
    }

    @Test("A revision that the server cannot send is parked; one that is gone or superseded is not", arguments: [500, 403, 404, 410])
    func norev(status: Int) async throws {
        let pair = try await ReplicationPair()
        let answer: ScriptedServer.Answer = { message in
            switch (message.type, message.profile) {
            case (.request, "subChanges"):
                return [.reply(to: message.number), .request("changes", body: Array(#"[[1,"a","1-aa"]]"#.utf8))]
            case (.reply, _) where message.properties["maxHistory"] != nil:
                let properties: BLIPProperties = [
                    "id": "a", "rev": "1-aa", "sequence": "1", "error": "\(status)", "reason": "unreadable",
                ]
                return [
                    .request("norev", properties: properties, noReply: true), .request("changes", body: Array("null".utf8), noReply: true),
                ]
            default: return ScriptedServerTests.obliging(message)
            }
        }
        #expect(try await pair.run(configuration(pair, .pull, answer: answer)).status.error == nil)
        #expect(try await parked(pair) == (status < 404 || status == 500 ? ["pull a \(10_000 + status)"] : []))
    }

    @Test("A pull filter that fails on a document parks it, as a push filter does")
    func pullFilter() async throws {
        struct Failure: Error {}
        let pair = try await ReplicationPair()
        for id in ["a", "b"] { try await pair.there.put(id, "{}") }
        let filter = ReplicationFilter { document, _ in if document.id == "a" { throw Failure() } else { true } }
        #expect(try await pair.run(configuration(pair, .pull, change: { $0.pullFilter = filter })).status.error == nil)
        #expect(try await parked(pair) == ["pull a 10403"])
        #expect(try await pair.here.state().count == 1)
    }

    @Test("A conflict with a revision that the server does not send is parked, retried with each connection, and unparked in the end")
    func hiddenConflict() async throws {
        let pair = try await ReplicationPair()
        for id in ["a", "b"] { try await pair.here.put(id, "{}") }
        let answer: ScriptedServer.Answer = { message in
            guard message.profile == "proposeChanges", !message.noReply else { return ScriptedServerTests.obliging(message) }
            let rows = (try? JSONValue(message.body))?.array ?? []
            let statuses = rows.map { $0.array?[0].string == "a" ? #"{"status":409,"rev":"3-ffff"}"# : "0" }
            return [.reply(to: message.number, body: Array("[\(statuses.joined(separator: ","))]".utf8))]
        }
        for attempts in 1...2 {
            #expect(try await pair.run(configuration(pair, .pushAndPull, answer: answer)).status.error == nil)
            #expect(try await parked(pair) == ["push a 10409"])
            #expect(try await pair.local.database.parked(limit: 1).revisions.first?.attempts == attempts)
        }
        let (status, documents) = try await pair.run(configuration(pair, .pushAndPull, answer: { ScriptedServerTests.obliging($0) }))
        #expect(status.error == nil && documents.contains(">a"))
        #expect(try await parked(pair) == [])
    }

    /// Two databases, of which the other one refuses bad documents, and has refused an edit.
    private func refusedEdit() async throws -> ReplicationPair {
        let pair = try await ReplicationPair(there: { configuration in
            configuration.collections.append(
                CollectionConfiguration(name: .default, syncFunction: "function (doc) { if (doc.bad) { throw({forbidden: \"no\"}); } }"))
        })
        try await pair.here.put("a", #"{"bad":true}"#)
        _ = try await pair.run(configuration(pair, .push))
        #expect(try await parked(pair) == ["push a 10403"])
        return pair
    }

    @Test("A refused revision is unparked when the server's revision replaces it here")
    func overtaken() async throws {
        let pair = try await refusedEdit()
        try await pair.there.put("a", "{}")
        #expect(try await pair.run(configuration(pair, .pushAndPull, change: { $0.conflictResolver = .remoteWins })).status.error == nil)
        #expect(try await pair.here.state() == pair.there.state())
        #expect(try await parked(pair) == [])
    }

    @Test(
        "A refused edit is still an edit, and its conflict with the server's revision goes to the resolver, whichever wins",
        arguments: [1, 3])
    func edited(count: Int) async throws {
        let pair = try await refusedEdit()
        for number in 0..<count { try await pair.there.put("a", "{\"n\":\(number)}") }
        let resolver = ConflictResolver { _ in .merged(.object([JSONMember("merged", .bool(true))])) }
        #expect(try await pair.run(configuration(pair, .pushAndPull, change: { $0.conflictResolver = resolver })).status.error == nil)
        let (here, there) = (try await pair.here.state(), try await pair.there.state())
        #expect(here == there && here.count == 1 && here.first?.hasSuffix(#" {"merged":true}"#) == true, "\(here)")
        #expect(try await parked(pair) == [])
    }
}
