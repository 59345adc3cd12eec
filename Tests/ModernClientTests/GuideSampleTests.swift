import BLIP
import Coordination
import Documents
import Gateway
import LocalStore
import ModernServer
import ModernTestSupport
import Storage
import Testing

@testable import ModernClient
@testable import ModernProtocol

/// The code of the 2.x and 3.x guides, statement by statement, as in an app.
@Suite("Code samples of the guides", .timeLimit(.minutes(2)))
struct GuideSampleTests {
    /// The notifications of a listener.
    private actor Notifications {
        private(set) var all: [String] = []
        private let changed = Condition()

        func print(_ line: String) {
            all.append(line)
            changed.notifyAll()
        }

        func wait(_ condition: @Sendable ([String]) -> Bool) async {
            while !condition(all) { await changed.wait() }
        }
    }

    @Test("2.x: a change listener gets the replicator's changes until it is removed")
    func start() async throws {
        let pair = try await ReplicationPair()
        try await pair.there.put("doc", "{}")
        var config = ReplicatorConfiguration(database: pair.local.app, target: pair.endpoint())
        config.replicatorType = .pull
        let replicator = try Replicator(config: config)
        let notifications = Notifications()
        let token = await replicator.addChangeListener { change in
            if change.status.activity == .stopped {
                await notifications.print("Replication stopped \(change.status.error == nil) \(change.replicator === replicator)")
            } else {
                await notifications.print("Status: \(change.status.activity)")
            }
        }
        await replicator.start()
        await notifications.wait { $0.contains("Replication stopped true true") }
        // From the time at which it was added: the earlier stopped status is not included.
        #expect(await notifications.all.first == "Status: connecting")
        #expect(try await pair.here.state() == pair.there.state())
        await replicator.removeChangeListener(withToken: token)
        await replicator.start()
        await replicator.waitUntilStopped()
        #expect(await notifications.all.count { $0.hasPrefix("Replication") } == 1)
    }

    @Test("2.x: a document listener gets directions, deletions and errors, and filters see properties and deletions")
    func documents() async throws {
        let pair = try await ReplicationPair()
        try await pair.here.put("draft", #"{"type":"draft"}"#)
        try await pair.here.put("final", #"{"type":"final","count":2,"ratio":0.5,"on":true}"#)
        try await pair.there.put("gone", "{}")
        try await pair.run(pair.configuration(.pull))
        try await pair.there.put("gone", "{}", deleted: true)
        try await pair.here.put("late", "{}")
        try await pair.here.put("late", "{}", deleted: true)
        var config = ReplicatorConfiguration(database: pair.local.app, target: pair.endpoint())
        config.pushFilter = ReplicationFilter { (document, flags) in
            if document.string(forKey: "type") == "draft" { return false }
            guard document.id == "final" else { return true }
            return document.int(forKey: "count") == 2 && document.double(forKey: "ratio") == 0.5 && document.boolean(forKey: "on")
                && !document.boolean(forKey: "off") && document["type"] == .string("final")
        }
        config.pullFilter = ReplicationFilter { (document, flags) in
            if flags.contains(.deleted) { return false }
            return true
        }
        #expect(config.collections[0].configuration.pullFilter != nil)
        let replicator = try Replicator(config: config)
        let notifications = Notifications()
        await replicator.addDocumentReplicationListener { replication in
            for document in replication.documents {
                await notifications.print(
                    "\(replication.isPush ? "Push" : "Pull") \(document.id)\(document.flags.contains(.deleted) ? " deleted" : "")"
                        + (document.error.map { " \($0.code)" } ?? ""))
            }
        }
        await replicator.start()
        await replicator.waitUntilStopped()
        // A tombstone of a document that the server never had is not pushed.
        let expected: Set = ["Push final", "Pull gone deleted 10403"]
        await notifications.wait { expected.isSubset(of: $0) }
        #expect(await !notifications.all.contains { $0.contains("draft") })
        #expect(try await pair.here.state().contains { $0.hasPrefix("gone@") }, "the filter has excluded it")
    }

    @Test("A list of channels is requested, retry settings have the guide's values, and unset ones the defaults")
    func settings() async throws {
        let pair = try await ReplicationPair()
        var config = ReplicatorConfiguration(database: pair.local.app, target: pair.endpoint())
        #expect(config.replicatorType == .pushAndPull && !config.continuous && config.heartbeatInterval == .seconds(300))
        #expect(config.backoff == ReplicatorBackoff(isContinuous: false, maxAttempts: 10, maxWait: 300))
        #expect(!config.acceptOnlySelfSignedServerCertificate && config.serverCertificatePolicy == .system)
        #expect(config.channels == [] && config.documentIDs == [] && config.enableAutoPurge && config.enableDeltaSync)
        config.channels = ["sales", "news"]
        config.documentIDs = ["a"]
        config.conflictResolver = .remoteWins
        config.heartbeat = 150
        config.maxAttempts = 20
        config.maxAttemptWaitTime = 600
        #expect(config.heartbeatInterval == .seconds(150))
        var backoff = config.backoff
        var waits: [Duration] = []
        while let wait = backoff.next() { waits.append(wait) }
        #expect(waits == [2, 4, 8, 16, 32, 64, 128, 256, 512].map { .seconds($0) } + Array(repeating: .seconds(600), count: 10))
        // LiteCore 2.8's values, from the page on the life cycle: two reconnects for one-shot, and ten minutes.
        (config.maxAttempts, config.maxAttemptWaitTime) = (3, 600)
        backoff = config.backoff
        #expect([backoff.next(), backoff.next(), backoff.next()] == [.seconds(2), .seconds(4), nil])
        let collection = config.collections[0].configuration
        let request = SubChangesRequest(channels: collection.channels, documentIDs: collection.documentIDs).message(BLIPProperties(), .v3)
        #expect(request.properties["filter"] == "sync_gateway/bychannel" && request.properties["channels"] == "sales,news")
        // The pinned certificate alone is trusted, whatever else is set.
        config.pinnedServerCertificate = [1]
        config.acceptOnlySelfSignedServerCertificate = true
        #expect(config.serverCertificatePolicy == .pinned([1]))
        config.serverCertificatePolicy = .selfSignedOnly
        #expect(config.pinnedServerCertificate == nil && config.acceptOnlySelfSignedServerCertificate)
    }

    @Test("Each collection has its own filter, documents and resolver")
    func collections() async throws {
        let pair = try await ReplicationPair()
        let (orders, customers) = (CollectionName(scope: "sales", name: "orders"), CollectionName(scope: "sales", name: "customers"))
        func here(_ name: CollectionName) throws -> Keyspace { try #require(pair.local.database.keyspace(name)) }
        func there(_ name: CollectionName) throws -> Keyspace { try #require(pair.remote.database.keyspace(name)) }
        var config = ReplicatorConfiguration(target: pair.endpoint())
        var local = ReplicatorConfiguration.CollectionConfiguration()
        local.conflictResolver = .localWins
        local.pushFilter = ReplicationFilter { (document, flags) in document.string(forKey: "type") != "draft" }
        config.addCollection(try here(orders), config: local)
        var remote = ReplicatorConfiguration.CollectionConfiguration()
        remote.conflictResolver = .remoteWins
        remote.documentIDs = ["both", "draft"]
        config.addCollection(try here(customers), config: remote)
        for name in [orders, customers] { try await here(name).put("both", "{}") }
        #expect(try await pair.run(config).documents == [">both", ">both"])
        for name in [orders, customers] {
            try await here(name).put("both", #"{"by":"here"}"#)
            try await there(name).put("both", #"{"by":"there"}"#)
            try await here(name).put("draft", #"{"type":"draft"}"#)
            try await here(name).put("other", #"{"type":"final"}"#)
        }
        #expect(try await pair.run(config).status.error == nil)
        // A resolution in favour of this side is pushed, in this run or the next.
        #expect(try await pair.run(config).status.error == nil)
        for (name, winner, pushed) in [(orders, "here", "other"), (customers, "there", "draft")] {
            let state = try await there(name).state()
            #expect(state.count == 2 && state[0].hasSuffix(#"{"by":"\#(winner)"}"#) && state[1].hasPrefix("\(pushed)@"), "\(state)")
            #expect(try await here(name).state().first == state[0])
        }
    }

    @Test("A checkpoint reset before the start compares everything again, once")
    func reset() async throws {
        let pair = try await ReplicationPair()
        try await pair.there.put("doc", "{}")
        var config = ReplicatorConfiguration(database: pair.local.app, target: pair.endpoint())
        config.replicatorType = .pull
        let replicator = try pair.replicator(config)
        await replicator.start()
        await replicator.waitUntilStopped()
        #expect(try await pair.here.purge(["doc"]) == ["doc"])
        for resets in [false, true] {
            if resets { await replicator.resetCheckpoint() }
            await replicator.start()
            await replicator.waitUntilStopped()
            #expect(try await pair.here.state().count == (resets ? 1 : 0))
        }
        #expect(try await pair.here.purge(["doc"]) == ["doc"])
        await replicator.start()
        await replicator.waitUntilStopped()
        #expect(try await pair.here.state().isEmpty)
    }

    @Test("Pending documents are available before the start, and in the change listener during the push")
    func pending() async throws {
        let pair = try await ReplicationPair()
        for id in ["a", "b", "c"] { try await pair.here.put(id, "{}") }
        var config = ReplicatorConfiguration(target: pair.endpoint())
        config.replicatorType = .push
        config.addCollections([LocalCollection(pair.here)])
        let replicator = try Replicator(config: config)
        let pendingDocIds = try await replicator.pendingDocumentIDs()
        #expect(pendingDocIds == ["a", "b", "c"])
        let notifications = Notifications()
        await replicator.addChangeListener { change in
            for id in pendingDocIds where (try? await change.replicator.isDocumentPending(id)) == false {
                await notifications.print("\(id) now pushed")
            }
        }
        await replicator.start()
        await notifications.wait { Set($0) == ["a now pushed", "b now pushed", "c now pushed"] }
        await replicator.waitUntilStopped()
    }

    @Test("A resolver merges the properties of both documents, the server's first")
    func merge() async throws {
        let pair = try await ReplicationPair()
        try await pair.here.put("doc", #"{"a":0,"b":0}"#)
        try await pair.run(pair.configuration())
        try await pair.here.put("doc", #"{"a":1,"b":1,"here":true}"#)
        try await pair.there.put("doc", #"{"a":2,"b":0,"there":true}"#)
        var config = ReplicatorConfiguration(database: pair.local.app, target: pair.endpoint())
        config.conflictResolver = ConflictResolver { conflict in
            guard let local = conflict.localDocument, let remote = conflict.remoteDocument else { return .deleted }
            #expect(conflict.documentID == "doc")
            return .merged(local.properties.merging(remote.properties))
        }
        #expect(try await pair.run(config).status.error == nil)
        #expect(try await pair.here.state() == pair.there.state())
        let content = try #require(try await pair.here.read { try $0.document("doc").flatMap { try $0.content(of: $0.winner) } })
        #expect(try JSONValue(content.body.properties) == JSONValue(Array(#"{"here":true,"a":2,"b":0,"there":true}"#.utf8)))
        // One side is deleted.
        try await pair.here.put("doc", "{}", deleted: true)
        try await pair.there.put("doc", #"{"a":3}"#)
        #expect(try await pair.run(config).status.error == nil)
        #expect(try await pair.here.state() == pair.there.state())
        #expect(try await pair.here.state().first?.hasPrefix("!doc@") == true)
    }

    @Test("Saving with a handler merges a concurrently replicated change, and the handler may give up")
    func saving() async throws {
        let pair = try await ReplicationPair()
        try await pair.there.put("xyz", #"{"name":"pears","count":1}"#)
        let config = ReplicatorConfiguration(database: pair.local.app, target: pair.endpoint())
        try await pair.run(config)
        let collection = LocalCollection(pair.here)
        func winner() async throws -> RevisionID? { try await pair.here.read { try $0.document("xyz")?.winner } }
        let doc = try #require(try await collection.document("xyz"))
        func save(_ properties: JSONValue, _ merges: Bool) async throws -> RevisionID? {
            var changed = doc
            changed.properties = properties
            return try await collection.save(changed) { new, current in
                guard merges else { return nil }
                var merged = new
                merged.properties = (current?.properties ?? [:]).merging(new.properties)
                return merged
            }?.revision
        }
        // There is no concurrent change.
        try await collection.save(StoredDocument(id: "new", ["n": 1])) { _, _ in
            Issue.record("there is nothing to merge")
            return nil
        }
        try await pair.there.put("xyz", #"{"name":"pears","count":2}"#)
        try await pair.run(config)
        let before = try await winner()
        #expect(try await save(["name": "apples"], false) == nil)
        #expect(try await winner() == before)
        let saved = try #require(try await save(["name": "apples"], true))
        #expect(saved.generation == 3)
        #expect(try await winner() == saved)
        try await pair.run(config)
        #expect(try await pair.there.state().contains { $0.hasPrefix("xyz@3-") && $0.hasSuffix(#"{"count":2,"name":"apples"}"#) })
        // The document was deleted meanwhile: the handler gets no document, and may create it again.
        try await pair.here.put("xyz", "{}", deleted: true)
        #expect(try await save(["name": "plums"], true)?.generation == 5)
        #expect(try await pair.here.state().contains { $0.hasSuffix(#"{"name":"plums"}"#) })
    }

    @Test("Deltas are used between peers if the other side supports them, and never between databases of one process")
    func deltas() async throws {
        let text = String(repeating: "unchanged ", count: 200)
        for isLocal in [false, true] {
            let pair = try await ReplicationPair(there: { $0.deltaSync = true })
            var config = ReplicatorConfiguration(
                target: isLocal
                    ? DatabaseEndpoint(database: pair.remote.database, service: ModernListener.serveWithinProcess) : pair.endpoint())
            config.addCollection(pair.here)
            let replicator = try pair.replicator(config)
            for number in 0..<2 {
                try await pair.here.put("doc", #"{"text":"\#(text)","n":\#(number)}"#)
                await replicator.start()
                #expect(await replicator.waitUntilStopped().error == nil)
            }
            #expect(replicator.deltaStatistics.sent == (isLocal ? 0 : 1))
            #expect(try await pair.here.state() == pair.there.state())
        }
    }

    @Test("Bytes are counted as they are transferred, from zero at each start, and during a large attachment")
    func bytes() async throws {
        let pair = try await ReplicationPair()
        var generator = SystemRandomNumberGenerator()
        try await pair.here.put("big", attachment: (0..<3_000_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        let replicator = try pair.replicator(pair.configuration(.push))
        let statuses = await replicator.changes()
        await replicator.start()
        let end = await replicator.waitUntilStopped()
        #expect(end.progress.bytes == UInt64(pair.traffic.bytes) && end.progress.bytes > 3_000_000)
        var seen: Set<UInt64> = []
        for await status in statuses {
            seen.insert(status.progress.bytes)
            if status.activity == .stopped, status.progress.bytes > 0 { break }
        }
        #expect(seen.count >= 3, "\(seen)")
        await replicator.start()
        let again = await replicator.waitUntilStopped().progress.bytes
        #expect(again > 0 && again < 10_000)
        #expect(again == UInt64(pair.traffic.bytes) - end.progress.bytes)
    }
}
