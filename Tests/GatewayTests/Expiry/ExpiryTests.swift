import Documents
import Foundation
import Storage
import Testing

@testable import Gateway

@Suite("Documents that expire")
struct ExpiryTests {
    private static let time: Int64 = 2_000_000_000_000

    @discardableResult
    private static func write(
        _ id: String, in keyspace: Keyspace, parent: RevisionID? = nil, body: String = "{}", isDeleted: Bool = false,
        at time: Int64?
    ) async throws -> RevisionID {
        try await keyspace.write(
            RevisionWrite(
                id: id, kind: .edit(parent: parent), isDeleted: isDeleted, body: Array(body.utf8),
                expiry: time.map { DocumentExpiry(time: $0) })
        ).revision
    }

    private static func expiry(_ id: String, in keyspace: Keyspace) async throws -> Int64? {
        try await keyspace.read { try $0.document(id)?.content(of: $0.document(id)?.winner ?? RevisionID.of("1-aa"))?.expiry?.time }
    }

    @Test("A document gets a tombstone when it expires and not before; others stay")
    func tombstone() async throws {
        let fixture = try await Fixture()
        try await Self.write("a", in: fixture.unified, at: Self.time)
        try await Self.write("b", in: fixture.unified, at: Self.time + 1)
        try await Self.write("c", in: fixture.unified, at: nil)
        #expect(try await Self.expiry("a", in: fixture.unified) == Self.time)
        #expect(try await fixture.database.expireDocuments(at: Self.time - 1) == ExpirySweep(next: Self.time))
        #expect(try await fixture.database.expireDocuments(at: Self.time) == ExpirySweep(deleted: 1, next: Self.time + 1))
        #expect(try await fixture.unified.current("a") == nil)
        let record = try await fixture.unified.record("a")
        #expect(record.flags.contains(.deleted) && !record.flags.contains(.expires))
        #expect(record.winner.generation == 2)
        #expect(try await fixture.unified.feed().map { $0.prefix(2) } == ["b@", "c@", "!a"])
        #expect(try await fixture.database.expireDocuments(at: Self.time) == ExpirySweep(next: Self.time + 1))
        try await fixture.expectSound()
    }

    @Test("Each revision sets the expiry again, except on a losing branch")
    func rewritten() async throws {
        let fixture = try await Fixture()
        let first = try await Self.write("a", in: fixture.unified, at: Self.time)
        let second = try await Self.write("a", in: fixture.unified, parent: first, body: #"{"n":2}"#, at: Self.time + 5)
        #expect(try await Self.expiry("a", in: fixture.unified) == Self.time + 5)
        try await fixture.unified.push("a", "1-00", body: #"{"loses":true}"#)
        #expect(try await Self.expiry("a", in: fixture.unified) == Self.time + 5)
        try await Self.write("a", in: fixture.unified, parent: second, body: #"{"n":3}"#, at: nil)
        #expect(try await Self.expiry("a", in: fixture.unified) == nil)
        #expect(try await fixture.database.expireDocuments(at: .max) == ExpirySweep())
        try await fixture.expectSound()
    }

    @Test("If another branch exists, it wins after the expiry")
    func branches() async throws {
        let fixture = try await Fixture()
        let first = try await Self.write("a", in: fixture.unified, at: nil)
        try await Self.write("a", in: fixture.unified, parent: first, body: #"{"wins":true}"#, at: Self.time)
        try await fixture.unified.push("a", "1-00", body: #"{"loses":true}"#)
        #expect(try await fixture.database.expireDocuments(at: Self.time).deleted == 1)
        #expect(try await fixture.unified.current("a") == #"1-00 {"loses":true}"#)
        #expect(try await Self.expiry("a", in: fixture.unified) == nil)
        try await fixture.expectSound()
    }

    @Test("A tombstone that expires is purged, in any collection")
    func tombstones() async throws {
        let fixture = try await Fixture { configuration in try configuration.add("hidden.notes", hidden: true) }
        let notes = try fixture.collection("hidden.notes")
        for keyspace in [fixture.unified, notes] {
            let first = try await Self.write("a", in: keyspace, at: Self.time)
            try await Self.write("a", in: keyspace, parent: first, isDeleted: true, at: Self.time)
        }
        try await Self.write("b", in: notes, at: Self.time)
        #expect(try await fixture.database.expireDocuments(at: Self.time) == ExpirySweep(deleted: 1, purged: 2))
        #expect(try await fixture.unified.read { try $0.document("a") == nil })
        #expect(try await notes.feed().map { $0.prefix(2) } == ["!b"])
        try await fixture.expectSound()
    }

    @Test("A sync function's expiry() precedes the writer's, and a document whose tombstone is refused is purged")
    func syncFunction() async throws {
        let fixture = try await Fixture { configuration in
            configuration.collections = [
                CollectionConfiguration(
                    name: .default,
                    syncFunction: """
                        function (doc) {
                          if (doc._deleted) throw({forbidden: "never"})
                          if (doc.until) expiry(doc.until)
                        }
                        """)
            ]
        }
        try await Self.write("a", in: fixture.unified, body: #"{"until":"2033-05-18T03:33:20Z"}"#, at: Self.time + 60_000)
        try await Self.write("b", in: fixture.unified, at: Self.time + 60_000)
        #expect(try await Self.expiry("a", in: fixture.unified) == Self.time)
        #expect(try await fixture.database.expireDocuments(at: Self.time) == ExpirySweep(purged: 1, next: Self.time + 60_000))
        #expect(try await fixture.unified.read { try $0.document("a") == nil })
        try await fixture.expectSound()
    }

    @Test("Many documents expire in steps, the earliest first")
    func steps() async throws {
        let fixture = try await Fixture()
        for number in 0..<5 { try await Self.write("\(number)", in: fixture.unified, at: Self.time - Int64(number)) }
        let first = try await fixture.database.expireDocuments(at: Self.time, limit: 3)
        #expect(first == ExpirySweep(deleted: 3, isFull: true))
        #expect(try await fixture.unified.current("1") != nil)
        #expect(try await fixture.database.expireDocuments(at: Self.time, limit: 3) == ExpirySweep(deleted: 2))
    }

    @Test("A sleep until the next expiry is ended by an earlier one, and by no later one")
    func alarm() async throws {
        let fixture = try await Fixture()
        let alarm = fixture.database.expiryTimer
        // An earlier expiry that was written before the sleep began ends it as well.
        try await Self.write("a", in: fixture.unified, at: Self.time)
        await alarm.wait(until: Self.time + 1) { _ in try? await Task.sleep(for: .seconds(3600)) }
        let (naps, nap) = AsyncStream.makeStream(of: Int64.self)
        let waiting = Task {
            await alarm.wait(until: Self.time) { time in
                nap.yield(time)
                try? await Task.sleep(for: .seconds(3600))
            }
        }
        for await time in naps {
            #expect(time == Self.time)
            break
        }
        try await Self.write("b", in: fixture.unified, at: Self.time + 1)
        try await Self.write("c", in: fixture.unified, at: Self.time - 1)
        await waiting.value
    }
}
