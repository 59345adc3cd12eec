import Coordination
import Documents
import Gateway
import Logging
import Migration
import SQLiteStorage
import Scripting
import Storage
import Testing

@testable import Cutover

/// An old server that lists its revisions without a full reading, and records which documents are read.
private final class ListedServer: RevisionListingSource {
    let label = "the old server"
    private let kind: String
    private let list: Lock<[SourceDocument]>
    let read = Lock<[String]>([])

    /// - Parameter documents: The documents in the order of the feed.
    init(_ documents: [SourceDocument], as kind: String = "Sync Gateway 2.8.4") {
        self.kind = kind
        list = Lock(documents)
    }

    func summary() async throws -> SourceSummary { SourceSummary(kind: kind) }

    func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch? {
        let outlines = try await outlines(after: cursor, limit: limits.documents)
        guard let last = outlines.last else { return nil }
        return SourceBatch(items: try await documents(outlines), cursor: SourceCursor(rawValue: last.sequence))
    }

    func outlines(after cursor: SourceCursor?, limit: Int) async throws -> [RevisionListing] {
        let start = cursor.flatMap { Int($0.rawValue) } ?? 0
        return list.withLock { list in
            list.enumerated().dropFirst(start).prefix(limit).map { index, document in
                RevisionListing(
                    id: document.id, leaves: document.revisions.compactMap(\.history.first),
                    isDeleted: document.revisions.allSatisfy(\.isDeleted), sequence: "\(index + 1)")
            }
        }
    }

    func documents(_ outlines: [RevisionListing]) async throws -> [SourceItem] {
        read.withLock { $0 += outlines.map(\.id) }
        return list.withLock { list in outlines.flatMap { outline in list.filter { $0.id == outline.id }.map { .document($0) } } }
    }

    func add(_ document: SourceDocument) { list.withLock { $0.append(document) } }

    func readAttachment(_ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void) async throws {}

    func close() async {}
}

@Suite("Comparison of all revisions, and of the bodies of a sample")
struct SampledParityTests {
    private static func document(
        _ id: String, _ histories: String..., body: String = "{}", attached: [String] = []
    ) throws -> SourceDocument {
        let histories = histories.isEmpty ? ["1-aa"] : histories
        return SourceDocument(
            id: id,
            revisions: try histories.enumerated().map { index, history in
                let ids = try history.drop { $0 == "!" }.split(separator: " ").map { try #require(RevisionID(String($0))) }
                let stub =
                    attached.indices.contains(index) && !attached[index].isEmpty
                    ? try AttachmentSet(
                        Array(#"{"\#(attached[index])":{"stub":true,"revpos":1,"digest":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="}}"#.utf8))
                    : nil
                return SourceRevision(history: ids, isDeleted: history.hasPrefix("!"), body: Array(body.utf8), attachments: stub)
            })
    }

    /// A store with documents, compared with a server.
    private final class World: Sendable {
        let store: SQLiteStore
        let database: Database
        private let folder: TemporaryStoreFolder
        private let progress = Lock(BodyProgress(source: "s"))

        init(_ here: [SourceDocument]) async throws {
            folder = try TemporaryStoreFolder()
            store = try SQLiteStore(path: folder.path)
            database = try await Database(
                configuration: DatabaseConfiguration(name: "shop"), store: store, scripts: ScriptEngine(),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            try await add(here)
        }

        func add(_ documents: [SourceDocument]) async throws {
            let imported = documents.map { document in
                ImportedDocument(
                    id: document.id,
                    revisions: document.revisions.map { revision in
                        var write = RevisionWrite(
                            id: document.id, kind: .replicated(history: revision.history, conflicts: .accept),
                            isDeleted: revision.isDeleted,
                            body: revision.body, attachments: revision.attachments)
                        write.keepsMissingAttachments = true
                        return write
                    })
            }
            _ = try await database.importDocuments(try await database.planImport(imported)) { _, _ in }
        }

        func compare(_ server: ListedServer, limit: Int? = 1_000, oneLine: Bool = false, onlyLosses: Bool = false) async throws
            -> ParityResult
        {
            server.read.withLock { $0 = [] }
            let found = try await ParityCheck(
                of: store, named: "shop", with: server, countsExtras: true, countsOnlyLosses: onlyLosses, refusesBranches: oneLine,
                bodies: progress.withLock { $0 }, limit: limit
            ).run()
            progress.withLock { $0 = found.bodies }
            return found.result
        }
    }

    @Test("Each comparison reads the next bodies, none twice, and changed ones again")
    func sample() async throws {
        let documents = try (0..<7).map { try Self.document("d\($0)") }
        let world = try await World(documents)
        let server = ListedServer(documents)
        let first = try await world.compare(server, limit: 3)
        #expect(first.differing == 0 && first.compared == 7 && first.bodies == 3 && first.verified == 3)
        #expect(server.read.withLock { $0 } == ["d0", "d1", "d2"])
        _ = try await world.compare(server, limit: 3)
        #expect(server.read.withLock { $0 } == ["d3", "d4", "d5"])
        let last = try await world.compare(server, limit: 3)
        #expect(server.read.withLock { $0 } == ["d6"] && last.verified == 7 && last.bodies == 1)
        #expect(try await world.compare(server, limit: 3).bodies == 0)
        server.add(try Self.document("d7"))
        try await world.add([try Self.document("d7")])
        _ = try await world.compare(server, limit: 3)
        #expect(server.read.withLock { $0 } == ["d7"])
        let all = try await world.compare(server, limit: nil)
        #expect(all.bodies == 8 && all.verified == 8 && all.differing == 0)
    }

    @Test(
        "Numbers of equal value are equal in any notation, and all digits of whole numbers count",
        arguments: [
            ("1.50", "1.5", true), ("1e2", "100", true), ("-0", "0", true), ("1.5", "1.25", false),
            ("9007199254740993", "9007199254740992", false),
            ("9007199254740993", "9007199254740993", true),
        ])
    func numbers(here: String, there: String, isSame: Bool) async throws {
        let world = try await World([try Self.document("d", body: "{\"n\":\(here)}")])
        let result = try await world.compare(ListedServer([try Self.document("d", body: "{\"n\":\(there)}")]), limit: 1)
        #expect(result.bodies == 1 && result.differing == (isSame ? 0 : 1))
    }

    @Test("Revisions of all documents are compared, and only documents that seem to differ are read")
    func outlines() async throws {
        let same = try (0..<5).map { try Self.document("s\($0)", "2-bb 1-aa", "2-cc 1-aa") }
        let world = try await World(
            same + [try Self.document("winner", "1-aa"), try Self.document("leaves", "2-bb 1-aa"), try Self.document("gone", "!2-bb 1-aa")])
        let server = ListedServer(
            same + [
                try Self.document("winner", "2-bb 1-aa"), try Self.document("leaves", "2-bb 1-aa", "2-aa 1-aa"),
                try Self.document("gone", "2-bb 1-aa"), try Self.document("missing"),
            ])
        let result = try await world.compare(server, limit: 0)
        #expect(result.kinds == ["winner": 1, "leaves": 1, "tombstone": 1, "missing": 1], "\(result)")
        #expect(Set(server.read.withLock { $0 }) == ["winner", "leaves", "gone"])
    }

    @Test("A different body of the same revision is found in the sample, and compared again until it is equal")
    func bodies() async throws {
        let world = try await World([
            try Self.document("a", body: #"{"n":1.50,"b":[1],"a":"é"}"#), try Self.document("b", body: #"{"n":1}"#),
        ])
        let spelled = try Self.document("a", body: #"{"a":"\u00e9","b":[1.0],"n":1.5}"#)
        let wrong = ListedServer([spelled, try Self.document("b", body: #"{"n":2}"#)])
        for _ in 0..<2 {
            let result = try await world.compare(wrong)
            #expect(result.kinds == ["body": 1] && result.samples == ["b"], "\(result)")
        }
        #expect(try await world.compare(wrong, limit: nil).kinds == ["body": 1])
        let mended = ListedServer([spelled, try Self.document("b", body: #"{"n":1}"#)])
        #expect(try await world.compare(mended).differing == 0)
        #expect(try await world.compare(mended).bodies == 0)
    }

    @Test(
        "Different attachments of a document in conflict are a Sync Gateway's own and are only listed; others count"
    )
    func attachments() async throws {
        let here = [
            try Self.document("conflict", "2-bb 1-aa", "2-aa 1-aa", attached: ["winner", "loser"]),
            try Self.document("single", "1-aa", attached: ["one"]),
        ]
        let there = [
            try Self.document("conflict", "2-bb 1-aa", "2-aa 1-aa", attached: ["loser", ""]),
            try Self.document("single", "1-aa", attached: ["other"]),
        ]
        let world = try await World(here)
        let result = try await world.compare(ListedServer(there))
        #expect(result.kinds == ["attachments": 1] && result.samples == ["single"], "\(result)")
        let tolerated = try await World(here).compare(ListedServer([there[0], here[1]]))
        #expect(tolerated.differing == 0 && tolerated.shownOtherwise.documents == 1, "\(tolerated)")
        #expect(tolerated.shownOtherwise.examples == ["conflict"])
        #expect(try await World(here).compare(ListedServer([there[0], here[1]], as: "CouchDB")).differing == 1)
    }

    @Test("Of a server without branches only its branch counts: losing revisions here, and deleted documents, are no difference")
    func oneLine() async throws {
        let world = try await World([
            try Self.document("lost", "2-cc 1-aa", "2-bb 1-aa"), try Self.document("won", "2-cc 1-aa", "2-bb 1-aa"),
            try Self.document("closed", "2-bb 1-aa", "!3-cc 2-aa 1-aa"), try Self.document("deleted", "!2-cc 1-aa", "!2-bb 1-aa"),
            try Self.document("behind", "1-aa"),
        ])
        let server = ListedServer([
            try Self.document("lost", "2-cc 1-aa"), try Self.document("won", "2-bb 1-aa"), try Self.document("closed", "2-bb 1-aa"),
            try Self.document("deleted", "!2-bb 1-aa"), try Self.document("behind", "2-bb 1-aa"),
        ])
        #expect(try await world.compare(server).differing == 5)
        let result = try await world.compare(server, oneLine: true)
        #expect(result.kinds == ["winner": 2] && Set(result.samples) == ["won", "behind"], "\(result)")
    }
}
