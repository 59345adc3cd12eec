import Documents
import Foundation
import Gateway
import LegacyTestSupport
import Storage
import Testing

@testable import LegacyClient
@testable import LegacyProtocol

/// Tests with another product's server. `DUALGAUGE_LEGACY_SERVER` has the URL of an empty database that anybody may write.
@Suite(
    "1.x replication with another product's server", .serialized, .timeLimit(.minutes(10)),
    .enabled(if: ProcessInfo.processInfo.environment["DUALGAUGE_LEGACY_SERVER"] != nil))
struct RealServerTests {
    let url = ProcessInfo.processInfo.environment["DUALGAUGE_LEGACY_SERVER"] ?? ""

    /// Unused IDs, and numbers and texts that are unchanged when a server writes them again, as Sync Gateway does.
    private func samples(_ run: String) -> [String] {
        ReplicationTests.samples.map {
            $0.replacing("\"_id\":\"", with: "\"_id\":\"\(run)-").replacing("2.50", with: "2.5").replacing("\\u00e9", with: "é")
        }
    }

    private func run(_ direction: ReplicationDirection, _ bridge: Bridge, _ change: (Replication) -> Void = { _ in }) async throws
        -> Replication
    {
        let replication = try Replication(direction, localDatabase: bridge.database.unified, remoteURL: url)
        change(replication)
        replication.start()
        await replication.waitUntilStopped()
        return replication
    }

    /// The leaves of a run's documents with their bodies and decoded attachments, without histories, which servers prune. Some servers
    /// compress texts, which changes their digests.
    func contents(_ bridge: Bridge, _ run: String) async throws -> [String: [String]] {
        let keyspace = bridge.database.unified
        var query = ChangesQuery()
        query.allLeaves = true
        query.limit = 100_000
        var found: [String: [String]] = [:]
        for row in try await keyspace.changes(query).rows where row.id.hasPrefix(run) {
            for revision in [row.revision] + row.otherLeaves {
                guard let id = RevisionID(revision) else { continue }
                let content = try #require(try await keyspace.read { try $0.document(row.id)?.content(of: id) })
                var words = [revision, content.isDeleted ? "deleted" : "", String(decoding: content.body.properties, as: UTF8.self)]
                for entry in try content.body.attachments.map({ try AttachmentSet($0).entries }) ?? [] {
                    words.append("\(entry.name) \(try await decoded(entry, in: keyspace))")
                }
                found[row.id, default: []].append((words.prefix(3) + words.dropFirst(3).sorted()).joined(separator: " "))
            }
        }
        return found.mapValues { $0.sorted() }
    }

    /// The decoded length and the digest of an attachment. Its entry has to match the stored bytes.
    private func decoded(_ entry: AttachmentMetadata, in keyspace: Keyspace) async throws -> String {
        let digest = try #require(entry.digest)
        let record = try #require(try await keyspace.attachment(digest))
        var bytes = try await keyspace.bytes(of: record, from: 0, count: Int(record.length))
        #expect(entry.storedLength == bytes.count)
        #expect(AttachmentDigest.sha1(of: bytes) == record.digest)
        if entry.encoding == "gzip" { bytes = try Gunzip.decode(bytes, limit: 64 << 20) }
        #expect(entry.length == bytes.count)
        return "\(bytes.count) \(AttachmentDigest.sha1(of: bytes))"
    }

    /// The documents that differ between two databases.
    func differences(_ a: Bridge, _ b: Bridge, _ run: String) async throws -> [String] {
        let (left, right) = (try await contents(a, run), try await contents(b, run))
        return Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.sorted()
            .map { "\($0): \(left[$0] ?? []) \(right[$0] ?? [])" }
    }

    private func expectEqual(_ a: Bridge, _ b: Bridge, _ run: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let differences = try await differences(a, b, run)
        #expect(differences.isEmpty, sourceLocation: sourceLocation)
    }

    @Test("Push, pull into another database and edits on both sides lead to equal databases, and nothing is left to transfer")
    func roundTrip() async throws {
        let run = UUID().uuidString
        let a = try await Bridge(), b = try await Bridge()
        for document in samples(run) { try await a.push(document) }
        let push = try await self.run(.push, a)
        #expect(push.lastError == nil && push.failedDocuments.isEmpty)
        let pull = try await self.run(.pull, b)
        #expect(pull.lastError == nil && pull.failedDocuments.isEmpty)
        try await expectEqual(a, b, run)
        try await a.push(#"{"_id":"\#(run)-a","_rev":"2-left","_revisions":{"start":2,"ids":["left","a"]},"side":"a"}"#)
        try await b.push(#"{"_id":"\#(run)-a","_rev":"2-right","_revisions":{"start":2,"ids":["right","a"]},"side":"b"}"#)
        try await b.push(#"{"_id":"\#(run)-b","_rev":"3-c","_revisions":{"start":3,"ids":["c","b","a"]},"_deleted":true}"#)
        for bridge in [a, b, a] {
            #expect(try await self.run(.push, bridge).lastError == nil)
            #expect(try await self.run(.pull, bridge).lastError == nil)
        }
        try await expectEqual(a, b, run)
        #expect(try await contents(a, run)["\(run)-a"]?.count == 2)
        #expect(try await self.run(.push, a).changesCount == 0)
        #expect(try await self.run(.pull, a).changesCount == 0)
    }

    @Test("A continuous push sends writes over the feed that the server supports")
    func continuous() async throws {
        let run = UUID().uuidString
        let a = try await Bridge(), b = try await Bridge()
        let push = try Replication(.push, localDatabase: a.database.unified, remoteURL: url)
        let pull = try Replication(.pull, localDatabase: b.database.unified, remoteURL: url)
        for replication in [push, pull] {
            replication.continuous = true
            replication.start()
            await replication.wait { $0.status == .idle }
        }
        for number in 0..<10 {
            let commits = b.database.unified.follow()
            try await a.push(#"{"_id":"\#(run)-\#(number)","_rev":"1-a"}"#)
            var iterator = commits.makeAsyncIterator()
            while try await contents(b, run).count <= number, await iterator.next() != nil {}
        }
        #expect(try await contents(a, run) == contents(b, run))
        for replication in [push, pull] {
            replication.stop()
            await replication.waitUntilStopped()
            #expect(replication.lastError == nil)
        }
    }

    @Test("Document IDs and a channel filter limit a pull")
    func filters() async throws {
        let run = UUID().uuidString
        let a = try await Bridge(), b = try await Bridge()
        for number in 0..<5 { try await a.push(#"{"_id":"\#(run)-\#(number)","_rev":"1-a","channels":["c\#(number)"]}"#) }
        #expect(try await self.run(.push, a).lastError == nil)
        #expect(try await self.run(.pull, b) { $0.documentIDs = ["\(run)-1", "\(run)-3"] }.lastError == nil)
        #expect(try await contents(b, run).keys.sorted() == ["\(run)-1", "\(run)-3"])
        let channel = try await self.run(.pull, b) { $0.channels = ["c4"] }
        if channel.lastError == nil { #expect(try await contents(b, run).keys.contains("\(run)-4")) }
    }
}
