import Documents
import Foundation
import Gateway
import Migration
import Testing

@Suite("Databases that LiteCore wrote")
struct ModernFixtureTests {
    /// A line of an `expected-….txt`: ID, revision, flags, body, history.
    private struct Expected {
        let id: String
        let revision: RevisionID
        let isDeleted: Bool
        let body: [UInt8]
        let history: [RevisionID]

        init(_ line: Substring) throws {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            try #require(fields.count == 5)
            id = fields[0]
            revision = try #require(RevisionID(fields[1]))
            isDeleted = fields[2].contains("DEL")
            body = Array(fields[3].utf8)
            history = fields[4].split(separator: " ").compactMap { RevisionID(String($0.prefix { $0 != "(" })) }
        }
    }

    @Test(
        "The documents equal LiteCore's",
        arguments: [
            ("cbl-2.8/lite28.cblite2", ["expected-default.txt": CollectionName.default]),
            (
                "cbl-3.2/lite32.cblite2",
                ["expected-default.txt": .default, "expected-sales.orders.txt": CollectionName(scope: "sales", name: "orders")]
            ),
        ])
    func documents(name: String, expectations: [String: CollectionName]) async throws {
        let scratch = try Scratch()
        let path = try scratch.fixture(name)
        let before = try Scratch.digests(path)
        let items = try await SourceReading.itemsReopening(path)
        #expect(items.faults == [])
        #expect(try Scratch.digests(path) == before)
        var count = 0
        for (file, collection) in expectations {
            let folder = name.prefix { $0 != "/" }
            for line in try Scratch.fixtureText("\(folder)/\(file)").split(separator: "\n") {
                let expected = try Expected(line)
                count += 1
                let document = try #require(items.document(expected.id))
                #expect(document.collection == collection)
                let leaves = document.revisions.filter(\.isLeaf)
                #expect(leaves.map(\.history) == [expected.history])
                #expect(leaves.map(\.isDeleted) == [expected.isDeleted])
                let leaf = try #require(leaves.first)
                #expect(try CanonicalJSON.encode(leaf.body, style: .liteCore) == expected.body)
            }
        }
        #expect(items.documents.count == count)
    }

    @Test("Blobs are attachments under the names that LiteCore replicates them by", arguments: ["cbl-2.8/lite28", "cbl-3.2/lite32"])
    func blobs(name: String) async throws {
        let scratch = try Scratch()
        let source = try SourceOpener.open(path: scratch.fixture("\(name).cblite2"))
        let documents = try await SourceReading.items(source).documents
        let document = try #require(documents.first { document in document.revisions.contains { $0.attachments != nil } })
        let leaf = try #require(document.revisions.first { $0.isLeaf })
        let entry = try #require(leaf.attachments?.entries.first)
        #expect(entry.name == "blob_/photo")
        #expect(entry.contentType == "image/png")
        #expect(entry.length == 5000)
        #expect(entry.revpos == 1)
        let attachment = SourceAttachment(
            collection: document.collection, document: document.id, revision: leaf.history[0], name: entry.name, digest: entry.digest)
        let bytes = try await SourceReading.bytes(of: attachment, in: source)
        #expect(AttachmentDigest.sha1(of: bytes) == entry.digest)
        await source.close()
    }
}
