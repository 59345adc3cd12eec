import Documents
import Foundation
import Gateway
import Migration
import Testing

@Suite("Databases that Couchbase Lite 1.4 wrote")
struct LegacyFixtureTests {
    private struct Row {
        let document: String
        let sequence: Int
        let parent: Int?
        let revision: RevisionID
        let isLeaf: Bool
        let isDeleted: Bool
        let json: [UInt8]

        init(_ line: Substring) throws {
            let fields = line.split(separator: "|", maxSplits: 6, omittingEmptySubsequences: false)
            try #require(fields.count == 7)
            document = String(fields[0])
            sequence = try #require(Int(fields[1]))
            parent = Int(fields[2])
            revision = try #require(RevisionID(String(fields[3])))
            isLeaf = fields[4] == "1"
            isDeleted = fields[5] == "1"
            json = Array(fields[6].utf8)
        }
    }

    @Test(
        "The documents equal the rows of the tables",
        arguments: ["java144-seeded", "java144-pulled", "java144-conflicts-from-sg", "net144-from-sg"])
    func revisions(name: String) async throws {
        let scratch = try Scratch()
        let path = try scratch.fixture("cbl-1.4/\(name).cblite2")
        let before = try Scratch.digests(path)
        let items = try await SourceReading.itemsReopening(path)
        #expect(items.faults == [])
        #expect(try Scratch.digests(path) == before)

        let rows = try Scratch.fixtureText("cbl-1.4/\(name).revs.txt").split(separator: "\n").map { try Row($0) }
        let bySequence = Dictionary(uniqueKeysWithValues: rows.map { ($0.sequence, $0) })
        #expect(items.documents.count == Set(rows.map { ExactString($0.document) }).count)
        var expected = 0
        for row in rows where !row.json.isEmpty {
            expected += 1
            let document = try #require(items.document(row.document))
            let revision = try #require(document.revisions.first { $0.history.first == row.revision })
            var history = [row.revision]
            var parent = row.parent.flatMap { bySequence[$0] }
            while let next = parent {
                history.append(next.revision)
                parent = next.parent.flatMap { bySequence[$0] }
            }
            #expect(revision.history == history)
            #expect(revision.isLeaf == row.isLeaf)
            #expect(revision.isDeleted == row.isDeleted)
            let parsed = try ParsedDocument(row.json, policy: .legacyUpstream)
            #expect(revision.body == parsed.body)
            #expect(revision.attachments == (try parsed.attachments.map { try AttachmentSet($0) }))
        }
        #expect(items.documents.reduce(0) { $0 + $1.revisions.count } == expected)
    }

    @Test("Attachments have the bytes of their digests")
    func attachments() async throws {
        let scratch = try Scratch()
        let source = try SourceOpener.open(path: scratch.fixture("cbl-1.4/net144-from-sg.cblite2") + "/db.sqlite3")
        var count = 0
        for document in try await SourceReading.items(source).documents {
            for revision in document.revisions {
                let id = try #require(revision.history.first)
                for entry in revision.attachments?.entries ?? [] {
                    let attachment = SourceAttachment(
                        collection: document.collection, document: document.id, revision: id, name: entry.name, digest: entry.digest)
                    let bytes = try await SourceReading.bytes(of: attachment, in: source)
                    #expect(AttachmentDigest.sha1(of: bytes) == entry.digest)
                    #expect(bytes.count == entry.storedLength)
                    count += 1
                }
            }
        }
        #expect(count > 0)
        await source.close()
    }

    @Test("An attachment that is not in the folder is missing alone")
    func missingAttachment() async throws {
        let scratch = try Scratch()
        let path = try scratch.fixture("cbl-1.4/java144-seeded.cblite2")
        try FileManager.default.removeItem(atPath: "\(path)/attachments/C068A1F54D77965B428A7969125313CE29ABB93B.blob")
        let source = try SourceOpener.open(path: path)
        let items = try await SourceReading.items(source)
        let leaf = try #require(items.document("j5/att")?.revisions.first { $0.isLeaf })
        var missing: [String] = []
        for entry in leaf.attachments?.entries ?? [] {
            let attachment = SourceAttachment(
                collection: .default, document: "j5/att", revision: leaf.history[0], name: entry.name, digest: entry.digest)
            do {
                _ = try await SourceReading.bytes(of: attachment, in: source)
            } catch let error as SourceError {
                #expect(error.code == .attachmentMissing)
                missing.append(entry.name)
            }
        }
        #expect(missing == ["big file.txt"])
        await source.close()
    }

    @Test("A database has its description")
    func summary() async throws {
        let scratch = try Scratch()
        let source = try SourceOpener.open(path: scratch.fixture("cbl-1.4/java144-seeded.cblite2"))
        let summary = try await source.summary()
        #expect(summary.kind == "Couchbase Lite 1.x database (SQLite)")
        #expect(summary.documents == 5)
        #expect(summary.identity?.isEmpty == false)
        await source.close()
    }
}
