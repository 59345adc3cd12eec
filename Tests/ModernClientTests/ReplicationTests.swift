import Documents
import Gateway
import ModernServer
import ModernTestSupport
import Testing

@testable import ModernClient
@testable import ModernProtocol

@Suite("Replication with the listener", .timeLimit(.minutes(2)))
struct ReplicationTests {
    @Test("Push, pull and both transfer all documents, and a second run transfers nothing")
    func basics() async throws {
        for type in ReplicatorType.allCases {
            let pair = try await ReplicationPair()
            for number in 0..<50 {
                try await pair.here.put("h\(number)", "{\"n\":\(number)}")
                try await pair.there.put("t\(number)", "{\"n\":\(number)}")
            }
            try await pair.here.put("h1", "{}", deleted: true)
            try await pair.here.put("h2", #"{"n":"two"}"#)
            let (status, documents) = try await pair.run(pair.configuration(type))
            #expect(status.activity == .stopped)
            #expect(status.error == nil)
            #expect(status.progress.completed == status.progress.total)
            #expect(documents.count(where: { $0.hasPrefix(">") }) == (type == .pull ? 0 : 50))
            #expect(documents.count(where: { $0.hasPrefix("<") }) == (type == .push ? 0 : 50))
            let (here, there) = (try await pair.here.state(), try await pair.there.state())
            if type != .pull { #expect(Set(here).isSubset(of: Set(there))) }
            if type != .push { #expect(Set(there).isSubset(of: Set(here))) }
            let again = try await pair.run(pair.configuration(type))
            #expect(again.documents == [])
            let replicator = try pair.replicator(pair.configuration(type))
            if type != .pull { #expect(try await replicator.pendingDocumentIDs() == []) }
            let reset = try await pair.run(pair.configuration(type), reset: true)
            #expect(reset.status.error == nil)
            #expect(try await pair.here.state() == here)
            #expect(try await pair.there.state() == there)
        }
    }

    @Test("Named collections share one connection, and one that does not exist is an error")
    func collections() async throws {
        let pair = try await ReplicationPair()
        var configuration = ReplicatorConfiguration(target: pair.endpoint())
        for name in ["sales.orders", "sales.customers"] {
            let name = try #require(CollectionName(name))
            let keyspace = try #require(pair.local.database.keyspace(name))
            try await keyspace.put("same", "{\"in\":\"\(name)\"}")
            configuration.addCollection(keyspace)
        }
        let (status, documents) = try await pair.run(configuration)
        #expect(status.error == nil)
        #expect(documents == [">same", ">same"])
        for collection in configuration.collections {
            let there = try #require(pair.remote.database.keyspace(collection.name))
            #expect(try await there.state() == collection.keyspace.state())
        }
        var wrong = ReplicatorConfiguration(target: pair.endpoint())
        wrong.addCollection(pair.here, as: try #require(CollectionName("no.such")))
        let failure = try await pair.run(wrong)
        #expect(failure.status.error?.code == .httpNotFound)
    }

    @Test("Attachments of more than one frame are transferred in both directions")
    func attachments() async throws {
        let pair = try await ReplicationPair()
        let big = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        try await pair.here.put("up", attachment: big)
        try await pair.there.put("down", attachment: Array(big.reversed()))
        try await pair.there.put("down2", attachment: big)
        let (status, documents) = try await pair.run(pair.configuration())
        #expect(status.error == nil)
        #expect(documents == ["<down", "<down2", ">up"])
        for (keyspace, id, bytes) in [(pair.there, "up", big), (pair.here, "down", big.reversed()), (pair.here, "down2", big)] {
            let (entry, record) = try await keyspace.attachment(named: "photo", of: id, revision: .current)
            #expect(entry.contentType == "application/octet-stream")
            #expect(try await keyspace.bytes(of: record, from: 0, count: bytes.count + 1) == Array(bytes))
        }
    }

    @Test("The winner here is pushed, although a losing branch here follows the server's revision", arguments: [true, false])
    func losingBranch(isDeleted: Bool) async throws {
        let pair = try await ReplicationPair()
        let first = try await pair.here.put("doc", #"{"by":"both"}"#)
        try await pair.run(pair.configuration())
        let winner = try RevisionHistory.parse(
            rev: Requests.revision(3, 7), history: "\(Requests.revision(2, 6)),\(Requests.revision(1, 5))")
        let loser = [try #require(RevisionID(Requests.revision(2, 1))), first]
        for (history, isDeleted) in [(winner, false), (loser, isDeleted)] {
            _ = try await pair.here.write(
                RevisionWrite(
                    id: "doc", kind: .replicated(history: history, conflicts: .branch), isDeleted: isDeleted,
                    body: Array("{\"generation\":\(history[0].generation)}".utf8)))
        }
        for _ in 0..<2 { try await pair.run(pair.configuration { $0.conflictResolver = .localWins }) }
        #expect(try await pair.here.state() == pair.there.state())
        #expect(try await pair.there.state().first?.hasSuffix(#"{"generation":3}"#) == true)
    }

    @Test(
        "Conflicts are resolved by the configured rule",
        arguments: [
            ("default", #"{"by":"there"}"#), ("local", #"{"by":"here"}"#), ("remote", #"{"by":"there"}"#), ("merge", #"{"by":"both"}"#),
            ("delete", ""),
        ])
    func conflicts(_ rule: String, _ expected: String) async throws {
        for pushesFirst in [false, true] {
            let pair = try await ReplicationPair()
            try await pair.here.put("doc", #"{"by":"first"}"#)
            try await pair.run(pair.configuration())
            try await pair.here.put("doc", #"{"by":"here"}"#)
            try await pair.there.put("doc", #"{"by":"between"}"#)
            try await pair.there.put("doc", #"{"by":"there"}"#)
            if pushesFirst {
                let refused = try await pair.run(pair.configuration(.push))
                #expect(refused.documents == [">doc 10409"])
                continue
            }
            let resolver: ConflictResolver =
                switch rule {
                case "local": .localWins
                case "remote": .remoteWins
                case "merge": ConflictResolver { _ in .merged(Array(#"{"by":"both"}"#.utf8)) }
                case "delete": ConflictResolver { _ in .deleted }
                default: .default
                }
            let (status, _) = try await pair.run(pair.configuration { $0.conflictResolver = resolver })
            #expect(status.error == nil)
            let state = try await pair.here.state()
            #expect(try await pair.there.state() == state)
            #expect(expected.isEmpty ? state.first?.hasPrefix("!doc@4-") == true : state.first?.hasSuffix(expected) == true, "\(state)")
            #expect(try await pair.here.read { try $0.document("doc")?.tree.isConflicted } == false)
            let again = try await pair.run(pair.configuration { $0.conflictResolver = resolver })
            #expect(again.documents == [])
        }
    }

    @Test(
        "A conflict of a deletion and an edit is resolved by every rule, in either direction", arguments: ["default", "local", "remote"],
        [true, false])
    func deletions(_ rule: String, _ deletedHere: Bool) async throws {
        let pair = try await ReplicationPair()
        try await pair.here.put("doc", #"{"by":"first"}"#)
        try await pair.run(pair.configuration())
        try await pair.here.put("doc", deletedHere ? "{}" : #"{"by":"here"}"#, deleted: deletedHere)
        try await pair.there.put("doc", deletedHere ? #"{"by":"there"}"# : "{}", deleted: !deletedHere)
        let resolver: ConflictResolver = rule == "local" ? .localWins : rule == "remote" ? .remoteWins : .default
        let configuration = pair.configuration { $0.conflictResolver = resolver }
        #expect(try await pair.run(configuration).status.error == nil)
        let isDeleted = rule == "default" || (rule == "local") == deletedHere
        for keyspace in [pair.here, pair.there] {
            let state = try await keyspace.state()
            #expect(state.first?.hasPrefix("!") == isDeleted, "\(state)")
        }
        #expect(try await pair.run(configuration).documents == [])
    }

    @Test("A failing resolver changes nothing, and is called again")
    func failingResolver() async throws {
        let pair = try await ReplicationPair()
        try await pair.here.put("doc", #"{"by":"here"}"#)
        try await pair.there.put("doc", #"{"by":"there"}"#)
        let broken = pair.configuration { $0.conflictResolver = ConflictResolver { _ in throw SocketEnd.Broken() } }
        let before = try await pair.here.state()
        #expect(try await pair.run(broken).documents.contains("<doc 8"))
        #expect(try await pair.here.state() == before)
        try await pair.run(pair.configuration { $0.conflictResolver = .remoteWins })
        #expect(try await pair.here.state() == pair.there.state())
    }

    @Test("Filters and document IDs limit a replication")
    func filters() async throws {
        let pair = try await ReplicationPair()
        for number in 0..<6 {
            try await pair.here.put("h\(number)", "{\"n\":\(number)}")
            try await pair.there.put("t\(number)", "{\"n\":\(number)}")
        }
        let even = ReplicationFilter { document, _ in (document.properties["n"]?.int ?? 1) % 2 == 0 }
        let filtered = pair.configuration {
            $0.pushFilter = even
            $0.pullFilter = even
        }
        let (_, documents) = try await pair.run(filtered)
        #expect(documents == ["<t0", "<t1 10403", "<t2", "<t3 10403", "<t4", "<t5 10403", ">h0", ">h2", ">h4"])
        #expect(try await pair.replicator(filtered).pendingDocumentIDs() == [])
        let chosen = try await pair.run(pair.configuration { $0.documentIDs = ["h1", "t1", "unknown"] })
        #expect(chosen.documents == ["<t1", ">h1"])
    }

    @Test("Pending documents are those that a push would send")
    func pending() async throws {
        let pair = try await ReplicationPair()
        try await pair.here.put("a", "{}")
        let replicator = try pair.replicator(pair.configuration(.push))
        #expect(try await replicator.pendingDocumentIDs() == ["a"])
        #expect(try await replicator.isDocumentPending("a"))
        #expect(try await !replicator.isDocumentPending("b"))
        try await pair.run(pair.configuration(.push))
        try await pair.here.put("b", "{}")
        #expect(try await replicator.pendingDocumentIDs() == ["b"])
        let pull = try pair.replicator(pair.configuration(.pull))
        await #expect(throws: ReplicatorError.self) { try await pull.pendingDocumentIDs() }
        await #expect(throws: ReplicatorError.self) {
            try await replicator.isDocumentPending("a", in: CollectionName(scope: "a", name: "b"))
        }
    }

    @Test("A continuous pair transfers changes in both directions, sends nothing back, stops, starts, suspends and resumes")
    func continuous() async throws {
        let pair = try await ReplicationPair()
        var configuration = pair.configuration()
        configuration.continuous = true
        let replicator = try pair.replicator(configuration)
        var events = await replicator.documentReplications().makeAsyncIterator()
        await replicator.start()
        await replicator.wait { $0.activity == .idle }
        for number in 0..<20 {
            try await pair.here.put("h\(number)", "{}")
            #expect(await events.next()?.documents.map(\.id) == ["h\(number)"])
            try await pair.there.put("t\(number)", "{}")
            #expect(await events.next()?.documents.map(\.id) == ["t\(number)"])
        }
        await replicator.wait { $0.activity == .idle }
        #expect(await replicator.status.progress.completed == 40)
        #expect(try await pair.here.state() == pair.there.state())
        await replicator.suspend()
        await replicator.wait { $0.activity == .offline }
        try await pair.there.put("asleep", "{}")
        await replicator.resume()
        #expect(await events.next()?.documents.map(\.id) == ["asleep"])
        await replicator.stop()
        await replicator.start()
        await replicator.wait { $0.activity == .idle }
        #expect(pair.traffic.connections == 3)
        await replicator.stop()
        #expect(await replicator.waitUntilStopped().error == nil)
    }

    @Test("A continuous pull deletes a document that is deleted on the server after it was pulled")
    func laterDeletions() async throws {
        let pair = try await ReplicationPair()
        for number in 0..<3 { try await pair.there.put("t\(number)", "{}") }
        try await pair.there.put("t2", "{}", deleted: true)
        var configuration = pair.configuration(.pull)
        configuration.continuous = true
        let replicator = try pair.replicator(configuration)
        var events = await replicator.documentReplications().makeAsyncIterator()
        await replicator.start()
        await replicator.wait { $0.activity == .idle }
        #expect(try await pair.here.state().count == 2)
        try await pair.there.put("t0", "{}", deleted: true)
        while let documents = await events.next()?.documents, !documents.contains(where: { $0.flags.contains(.deleted) }) {}
        #expect(try await pair.here.state().first?.hasPrefix("!t0@2-") == true)
        await replicator.stop()
        await replicator.waitUntilStopped()
    }

    @Test("A replication between two databases of one process transfers all documents")
    func databaseEndpoint() async throws {
        let pair = try await ReplicationPair()
        for number in 0..<500 { try await pair.here.put("h\(number)", "{\"n\":\(number)}") }
        var configuration = ReplicatorConfiguration(
            target: DatabaseEndpoint(database: pair.remote.database, service: ModernListener.serveWithinProcess))
        configuration.addCollection(pair.here)
        #expect(try await pair.run(configuration).status.error == nil)
        #expect(try await pair.here.state() == pair.there.state())
    }

    @Test(
        "A replication that is interrupted after any number of messages continues, loses nothing and stores nothing twice",
        arguments: 1..<60)
    func interruptions(_ limit: Int) async throws {
        let pair = try await ReplicationPair()
        for number in 0..<5 {
            try await pair.here.put("h\(number)", "{\"n\":\(number)}")
            try await pair.there.put("t\(number)", "{\"n\":\(number)}")
        }
        try await pair.here.put("both", #"{"by":"here"}"#)
        try await pair.there.put("both", #"{"by":"there"}"#)
        try await pair.here.put("photo", attachment: Array(repeating: 7, count: 20_000))
        var cut = pair.configuration(cutAfter: limit)
        cut.maxAttempts = 1
        let first = try await pair.run(cut)
        #expect(first.status.error == nil || first.status.error?.isTransient == true, "\(limit): \(first.status)")
        let second = try await pair.run(pair.configuration())
        #expect(second.status.error == nil, "\(limit)")
        #expect(try await pair.here.state() == pair.there.state(), "\(limit)")
        #expect(try await pair.run(pair.configuration()).documents == [], "\(limit)")
    }

    @Test("Retries follow the clock until the attempts are used up")
    func retries() async throws {
        let pair = try await ReplicationPair()
        let clock = StillClock()
        var configuration = pair.configuration(cutAfter: 0)
        configuration.maxAttempts = 4
        let replicator = try pair.replicator(configuration, clock: clock)
        await replicator.start()
        let status = await replicator.waitUntilStopped()
        #expect(status.error?.code == .abnormalClose)
        #expect(pair.traffic.connections == 4)
    }
}
