import Coordination
import Documents
import Foundation
import Gateway
import Migration
import Storage
import Testing

@Suite("Runs from a source")
struct SourceMigrationTests {
    private func run(
        _ source: any MigrationSource, _ database: Database, _ change: (inout MigrationOptions) -> Void = { _ in }
    ) async -> MigrationResult {
        var options = MigrationOptions()
        options.batch.documents = 2
        change(&options)
        return await SourceMigration(source, to: database, options: options, head: Target.head).run { _ in }
    }

    /// A long history with an ancestor's body, a conflict, a tombstone whose ancestor has a route, an attachment, a document without a
    /// route.
    private var items: [SourceItem] {
        [
            document(
                "o1", revision("2-bb 1-aa", #"{"type":"order","n":1}"#, isLeaf: false), revision("3-cc 2-bb 1-aa", #"{"type":"order"}"#)),
            document("user::1", revision("1-aa", #"{"a":1}"#), revision("1-ab", #"{"a":2}"#)),
            document("o2", revision("1-aa", #"{"type":"order"}"#, isLeaf: false), revision("!2-bb 1-aa")),
            document("other", revision("1-aa", #"{"x":"é"}"#, attachments: attachment([1, 2, 3]))),
            document("7", in: "s.orders", revision("1-aa", #"{"own":true}"#)),
        ]
    }

    private let expected = [
        "_default._default other: 1-aa {\"x\":\"é\"} a=sha1-cDeAcZjCKn0rCAc3HXY3eahP388=",
        "s.orders 7: 1-aa {\"own\":true}",
        "s.orders o1: -2-bb 1-aa {\"type\":\"order\",\"n\":1}; 3-cc 2-bb 1-aa {\"type\":\"order\"}",
        "s.orders o2: -1-aa {\"type\":\"order\"}; !2-bb 1-aa {}",
        "s.users 1: 1-aa {\"a\":1}; 1-ab {\"a\":2}",
    ]

    @Test("Documents arrive revision by revision, in the collections of their routes", arguments: [1, 2, 500])
    func everything(batch: Int) async throws {
        let target = try Target()
        let database = try await target.database()
        let result = await run(ListSource(items, attachments: [[1, 2, 3]]), database) { $0.batch.documents = batch }
        #expect(result.failure == nil)
        #expect(result.report.isClean)
        #expect(result.report.run.state == .finished)
        #expect(result.report.total.documents == 5)
        #expect(result.report.total.written.documents == 5)
        #expect(result.report.total.unmatched.documents == 1)
        #expect(result.report.total.tombstones == 1)
        #expect(result.report.total.conflicts == 1)
        try await database.close()
        #expect(try await target.contents() == expected)
        try await target.expectSound()
    }

    @Test("A repeated run writes only new documents, and reports that")
    func repeated() async throws {
        let target = try Target()
        let database = try await target.database()
        let source = ListSource(items, attachments: [[1, 2, 3]])
        _ = await run(source, database)
        let sequence = try await database.unified.lastSequence()
        let again = await run(source, database)
        #expect(again.report.run.message?.hasPrefix("nothing is new since the last run, which ended ") == true)
        #expect(again.report.run.message?.hasSuffix(" with 5 documents") == true)
        #expect(again.report.collections.isEmpty)
        #expect(try await database.unified.lastSequence() == sequence)
        source.state.withLock { $0.items.append(document("new", revision("1-aa"))) }
        let third = await run(source, database)
        #expect(third.report.run.message?.hasPrefix("only what is new since the last run") == true)
        #expect(third.report.total.written.examples == ["new"])
        #expect(third.report.total.documents == 1)
        #expect(third.report.run.resumed == 1)
        try await database.close()
    }

    @Test("Documents in quarantine do not count as the last run's, nor as those from before a continuation")
    func quarantinedAreNotCounted() async throws {
        let target = try Target()
        let database = try await target.database()
        let faults = ["x", "y"].map { SourceItem.fault(SourceFault(id: $0, reason: "no JSON", bytes: [0xff])) }
        let source = ListSource(faults + items, attachments: [[1, 2, 3]])
        source.state.withLock { $0.breaksAt = 4 }
        _ = await run(source, database) { $0.batch.documents = 1 }
        source.state.withLock { $0.breaksAt = nil }
        let resumed = await run(source, database)
        #expect(resumed.report.total.documents == 5 && resumed.report.run.earlierDocuments == 2)
        let again = await run(source, database)
        #expect(again.report.run.message?.hasSuffix(" with 5 documents") == true)
        try await database.close()
    }

    @Test("A run that lost its source continues after the last batch")
    func resumed() async throws {
        let target = try Target()
        let database = try await target.database()
        let source = ListSource(items, attachments: [[1, 2, 3]])
        source.state.withLock { $0.breaksAt = 3 }
        let broken = await run(source, database)
        #expect((broken.failure as? SourceError)?.code == .unreachable)
        #expect(broken.report.run.state == .failed)
        #expect(broken.report.total.documents == 2)
        source.state.withLock {
            $0.breaksAt = nil
            $0.reads = 0
        }
        let resumed = await run(source, database)
        #expect(resumed.failure == nil)
        #expect(resumed.report.total.documents == 5)
        #expect(resumed.report.run.resumed == 1)
        #expect(resumed.report.run.earlierDocuments == 2)
        #expect(source.state.withLock { $0.reads } == 3)
        try await database.close()
        #expect(try await target.contents() == expected)
    }

    @Test("Another source at the same place, or other routes or options, start a new run")
    func otherRuns() async throws {
        let target = try Target()
        let database = try await target.database()
        let source = ListSource(items, attachments: [[1, 2, 3]])
        source.state.withLock { $0.breaksAt = 3 }
        _ = await run(source, database)
        source.state.withLock {
            $0.breaksAt = nil
            $0.identity = "another"
        }
        let other = await run(source, database)
        #expect(other.report.run.resumed == 0)
        #expect(other.report.total.documents == 5)
        #expect(other.report.total.alreadyThere.documents == 2)
        let tombstones = await run(source, database) { $0.imports.excludesTombstones = true }
        #expect(tombstones.report.run.resumed == 0)
        try await database.close()
    }

    @Test("A document that cannot be written is stored in quarantine with its bytes and reason, alone")
    func quarantine() async throws {
        let target = try Target()
        let database = try await target.database { $0.limits.documentSize = 1_000 }
        let large = #"{"x":""# + String(repeating: "y", count: 1_000) + #""}"#
        let source = ListSource([
            document("_bad", revision("1-aa", #"{"a":1}"#)),
            document("json", revision("1-aa", #"{"a":"#)),
            document("lacks", revision("1-aa", attachments: attachment([9]))),
            document("large", revision("1-aa", large)),
            document("ancestor", revision("1-aa", isLeaf: false, attachments: attachment([8])), revision("2-bb 1-aa")),
            document("good", revision("1-aa", #"{"b":1}"#)),
            .fault(SourceFault(id: "line 17", reason: "line 17: no JSON", bytes: Array("{oops".utf8))),
            document("user::1", revision("1-aa")),
            document("1", in: "s.users", revision("1-bb")),
            document("x", in: "s.unknown", revision("1-bb")),
        ])
        let result = await run(source, database) { $0.missingAttachments = .quarantine }
        #expect(result.failure == nil)
        #expect(!result.report.isClean)
        #expect(result.report.failures.items.map(\.id) == ["_bad", "json", "lacks", "large", "ancestor", "line 17", "1", "x"])
        #expect(result.report.failures.items[4].revision == "1-aa")
        let kept = try await database.inSnapshot { try $0.quarantined(after: 0, limit: 100, withBytes: true) }
        #expect(kept.count == 8)
        #expect(kept.first { $0.id == "json" }.map { String(decoding: $0.bytes, as: UTF8.self) } == #"{"a":"#)
        #expect(kept.first { $0.id == "line 17" }?.bytes == Array("{oops".utf8))
        try await database.close()
        #expect(
            try await target.contents() == [
                "_default._default ancestor: 2-bb 1-aa {}", "_default._default good: 1-aa {\"b\":1}", "s.users 1: 1-aa {}",
            ])
        try await target.expectSound()
    }

    @Test("Large attachments are streamed, known ones are not read, damaged ones are refused, and CouchDB's MD5 finds them, too")
    func attachments() async throws {
        let target = try Target()
        let database = try await target.database()
        let large = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let md5 = AttachmentSet([AttachmentMetadata(name: "m", digest: .md5(of: [4, 5]), length: 2, revpos: 1)])
        let inline = AttachmentSet([AttachmentMetadata(name: "i", revpos: 1, source: .inline(Array("AQI=".utf8)))])
        let source = ListSource(
            [
                document("a", revision("1-aa", attachments: attachment(large))),
                document("b", revision("1-aa", attachments: attachment(large))),
                document("c", revision("1-aa", attachments: md5)), document("d", revision("1-aa", attachments: inline)),
                document("e", revision("1-aa", attachments: attachment([6]))),
            ], attachments: [large])
        source.state.withLock {
            $0.attachments[.md5(of: [4, 5])] = [4, 5]
            $0.attachments[.sha1(of: [6])] = [7]
        }
        let result = await run(source, database)
        #expect(result.report.failures.items.map(\.id) == ["e"])
        let record = try #require(try await database.unified.attachment(.sha1(of: large)))
        #expect(try await database.unified.bytes(of: record, from: 0, count: large.count) == large)
        #expect(try await database.unified.attachment(.md5(of: [4, 5]))?.length == 2)
        #expect(try await database.unified.attachment(.sha1(of: [1, 2]))?.length == 2)
        try await database.close()
        try await target.expectSound()
    }

    @Test("Tombstones and documents without a route are left out on request")
    func leftOut() async throws {
        let target = try Target()
        let database = try await target.database()
        let result = await run(ListSource(items, attachments: [[1, 2, 3]]), database) {
            $0.imports = ImportOptions(collectionsOnly: true, excludesTombstones: true)
        }
        #expect(result.report.total.written.documents == 3)
        try await database.close()
        #expect(try await target.contents().map { $0.prefix { $0 != ":" } } == ["s.orders 7", "s.orders o1", "s.users 1"])
    }

    @Test("A dry run has the same report, and writes nothing")
    func preview() async throws {
        let target = try Target()
        let database = try await target.database()
        let source = ListSource(
            items + [document("1", in: "s.users", revision("1-cc")), document("_bad", revision("1-aa"))], attachments: [[1, 2, 3]])
        var options = MigrationOptions()
        options.batch.documents = 2
        let result = await SourceMigration(source, to: database, options: options, head: Target.head).preview { _ in }
        #expect(result.failure == nil)
        #expect(result.report.collections.map(\.name) == ["_default._default", "s.orders", "s.users"])
        #expect(result.report.collections.map(\.written.documents) == [1, 3, 1])
        // Its place is taken by a document that a route brings there: a run refuses it, too.
        #expect(result.report.total.clashes.documents == 0)
        #expect(Set(result.report.failures.items.map(\.id)) == ["1", "_bad"])
        #expect(try await database.inSnapshot { try $0.migrationRuns() }.isEmpty)
        try await database.close()
        #expect(try await target.contents().isEmpty)
    }

    @Test("A sync function assigns channels and grants to imported documents, and documents that it refuses are imported all the same")
    func syncFunction() async throws {
        let target = try Target()
        let orders = CollectionName(scope: "s", name: "orders")
        let database = try await target.database { configuration in
            let source = "function (doc) { if (doc.bad) throw {forbidden: 'no'}; channel(doc.c); }"
            configuration.collections[0].syncFunction = source
        }
        let source = ListSource([
            document("a", revision("1-aa", #"{"type":"order","c":"one"}"#)),
            document("b", revision("1-aa", #"{"type":"order","bad":true}"#)),
        ])
        let result = await run(source, database)
        #expect(result.failure == nil)
        #expect(result.report.total.written.documents == 2)
        let key = try #require(database.collectionKey(orders))
        let channels = try await database.inSnapshot { snapshot in
            try ["a", "b"].map { id in
                try snapshot.document(in: key, id: id).map { try snapshot.channels(of: $0.winner, in: $0).sorted() } ?? ["missing"]
            }
        }
        #expect(channels == [["one"], []])
        try await database.close()
        try await target.expectSound()
    }

    @Test("Without a sync function the property `channels` assigns them, for each leaf, and a name that is not text is ignored")
    func channelsProperty() async throws {
        let target = try Target()
        let database = try await target.database()
        let source = ListSource([
            document(
                "user::a", revision("1-bb", #"{"channels":["one","\ud800"]}"#), revision("1-aa", #"{"channels":"two"}"#))
        ])
        let result = await run(source, database)
        #expect(result.report.isClean)
        let channels = try await database.inSnapshot { snapshot in
            let document = try #require(try snapshot.document(unifiedID: "user::a"))
            return try ["1-bb", "1-aa"].map { try snapshot.channels(of: try #require(RevisionID($0)), in: document).sorted() }
        }
        #expect(channels == [["\u{1}users", "one"], ["\u{1}users", "two"]])
        try await database.close()
        try await target.expectSound()
    }

    @Test("A document keeps its expiry, and an invalid one is left out")
    func expiry() async throws {
        let target = try Target()
        let database = try await target.database()
        let items = [("a", 4_000_000_000), ("b", Int64.max), ("c", -1)].map { id, expiry in
            SourceItem.document(SourceDocument(id: id, revisions: [revision("1-aa")], expiry: expiry))
        }
        let result = await run(ListSource(items), database)
        #expect(result.report.isClean)
        let times = try await database.inSnapshot { snapshot in
            try ["a", "b", "c"].map { id in
                try snapshot.document(unifiedID: id)?.key.flatMap { try snapshot.expiry(of: $0) }
            }
        }
        #expect(times == [4_000_000_000_000, nil, nil])
        try await database.close()
        try await target.expectSound()
    }

    @Test("Existing documents get the source's further revisions")
    func growing() async throws {
        let target = try Target()
        let database = try await target.database()
        _ = await run(ListSource([document("o1", revision("1-aa", #"{"type":"order"}"#))], label: "first"), database)
        let second = ListSource(
            [document("o1", revision("2-bb 1-aa", #"{"type":"order","n":2}"#), revision("2-bc 1-aa", #"{"type":"order","n":3}"#))],
            label: "second")
        let result = await run(second, database)
        #expect(result.report.isClean)
        try await database.close()
        let lines = try await target.contents()
        #expect(lines.count == 1)
        #expect(lines.first?.contains("2-bb 1-aa") == true && lines.first?.contains("2-bc 1-aa") == true)
        try await target.expectSound()
    }

    @Test("A run stops between batches on request, and waits while it is paused")
    func control() async throws {
        let target = try Target()
        let database = try await target.database()
        let control = MigrationControl()
        let source = ListSource((0..<10).map { document("d\($0)", revision("1-aa")) })
        source.state.withLock { $0.beforeBatch = { start in if start == 4 { control.stop() } } }
        var options = MigrationOptions()
        options.batch.documents = 2
        let stopped = await SourceMigration(source, to: database, options: options, head: Target.head, control: control).run { _ in }
        #expect(stopped.failure is CancellationError)
        #expect(stopped.report.run.state == .interrupted)
        #expect(stopped.report.total.documents < 10)
        source.state.withLock { $0.beforeBatch = nil }
        let paused = MigrationControl()
        paused.pause()
        let migration = SourceMigration(source, to: database, options: options, head: Target.head, control: paused)
        let task = Task { await migration.run { _ in } }
        paused.resume()
        let result = await task.value
        #expect(result.failure == nil)
        #expect(result.report.total.documents == 10)
        try await database.close()
    }
}
