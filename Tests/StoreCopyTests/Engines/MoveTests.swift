import Coordination
import Documents
import Foundation
import TestSupport
import Testing

@testable import PostgreSQLStorage
@testable import SQLiteStorage
@testable import Storage
@testable import StoreCopy

@Suite("Stores that are moved while they are used")
struct MoveTests {
    /// The IDs of the writes that were acknowledged, in order.
    private final class Acknowledged: Sendable {
        private let kept = Lock([String]())
        private let more = DispatchSemaphore(value: 0)
        var ids: [String] { kept.withLock { $0 } }

        func add(_ id: String) {
            kept.withLock { $0.append(id) }
            more.signal()
        }

        /// Waits for the next write, on a thread of its own.
        func waitForMore() {
            let count = ids.count
            while ids.count == count, more.wait(timeout: .now() + 20) == .success {}
        }
    }

    /// Writes documents, settings and attachments until the store refuses.
    ///
    /// - Returns: The refusal.
    private static func write(_ store: some Store, _ writer: Int, _ acknowledged: Acknowledged) async -> (any Error)? {
        for index in 0... {
            let id = "d\(writer)-\(index)"
            do {
                try await store.write { transaction in
                    try transaction.add(id)
                    if index > 0, index % 5 == 0, let old = try transaction.document(unifiedID: "d\(writer)-\(index - 1)"),
                        let key = old.key
                    {
                        try transaction.purge(key)
                    }
                    try transaction.set(id, forSetting: "writer \(writer)")
                }
                acknowledged.add(id)
            } catch let error as StorageError where error.code == .busy {
                continue
            } catch {
                return error
            }
        }
        return nil
    }

    @Test(
        "While writers write all the time, every acknowledged write is in the copy, in order, and later ones are refused",
        arguments: CopyEngine.pairs)
    func busy(pair: (CopyEngine, CopyEngine)) async throws {
        let (first, second) = (try CopyPlaceForTests(pair.0), try CopyPlaceForTests(pair.1))
        let store = try first.open()
        try await store.write { transaction in for index in 0..<1_000 { try transaction.add("old\(index)") } }
        let acknowledged = Acknowledged()
        var options = smallOptions()
        options.limit.rows = 5
        options.stretch = .milliseconds(5)
        let (source, target) = (first, second)
        let refusals = try await withThrowingTaskGroup(of: (any Error)?.self) { group in
            for writer in 0..<3 { group.addTask { await Self.write(store, writer, acknowledged) } }
            await eventually { acknowledged.ids.count > 10 }
            let summary = try await onNewThread { [options] in
                var batches = 0
                return try StoreCopier(
                    source.source(), target.target(), options,
                    progress: { _ in
                        batches += 1
                        if batches % 100 == 0 { acknowledged.waitForMore() }
                    }
                ).run()
            }
            #expect(summary.changes > 0)
            return try await group.reduce(into: [(any Error)?]()) { $0.append($1) }
        }
        #expect(refusals.allSatisfy { ($0 as? StorageError)?.code == .moved }, "\(refusals)")
        #expect((refusals.first as? StorageError)?.message.contains(try second.target().place) == true)
        #expect(try differences(first, second).isEmpty)
        let copy = try second.open()
        let (old, new) = (try await Self.feed(store), try await Self.feed(copy))
        #expect(old == new)
        let ids = Set(new)
        // Every fifth write removed the document of the write before.
        let missing = acknowledged.ids.filter { id in
            guard let index = Int(id.split(separator: "-")[1]), !ids.contains(id) else { return false }
            return index % 5 != 4
        }
        #expect(missing.isEmpty)
        // The copy goes on with the next sequence.
        let (last, next) = try await copy.write { transaction in
            let last = try transaction.lastSequence
            try transaction.add("new")
            return (last, try transaction.lastSequence)
        }
        #expect(next == last.next)
        try await copy.close()
        try await store.close()
    }

    private static func feed(_ store: some Store) async throws -> [String] {
        try await store.read { try $0.feedIDs(.unified, limit: 100_000) }
    }

    @Test("A moved store is read, and opened for writing by nobody until it is released, with a fence", arguments: CopyEngine.allCases)
    func moved(engine: CopyEngine) async throws {
        let (first, second) = (try CopyPlaceForTests(engine), try CopyPlaceForTests(.sqlite))
        let store = try first.open()
        try await store.write { _ = try $0.add("a") }
        _ = try StoreCopier(first.source(), second.target()).run()
        let error = await #expect(throws: StorageError.self) { try await store.write { _ = try $0.add("b") } }
        #expect(error?.code == .moved)
        #expect(error?.message.contains("dualgauge copy --release") == true)
        #expect(try await Self.feed(store) == ["a"])
        try await store.close()
        #expect(throws: StorageError.self) { try first.open() }
        let reader = try first.open(isReadOnly: true)
        #expect(try await Self.feed(reader) == ["a"])
        let last = try await reader.read { try $0.lastSequence }
        try await reader.close()
        // The same command finds nothing to do, and another target is refused.
        #expect(try StoreCopier(first.source(), second.target()).run().wasDone)
        let third = try CopyPlaceForTests(.sqlite)
        let refusal = #expect(throws: StoreCopyError.self) { try StoreCopier(first.source(), third.target()).run() }
        #expect(refusal?.code == .elsewhere)
        try first.source().release()
        let released = try first.open()
        let sequence = try await released.write { transaction in
            try transaction.add("b")
            return try transaction.lastSequence
        }
        #expect(sequence > SequenceNumber(last.value + 1_000))
        #expect(try await released.read { try $0.restores() }.isEmpty == false)
        try await released.close()
    }

    @Test("A store that was moved away comes back in place of the old one", arguments: CopyEngine.pairs)
    func back(pair: (CopyEngine, CopyEngine)) async throws {
        let (first, second) = (try CopyPlaceForTests(pair.0), try CopyPlaceForTests(pair.1))
        try await first.fill()
        _ = try StoreCopier(first.source(), second.target()).run()
        let store = try second.open()
        try await store.write { try $0.set("new", forSetting: "made there") }
        try await store.close()
        _ = try StoreCopier(second.source(), first.target()).run()
        #expect(try differences(second, first).isEmpty)
        let returned = try first.open()
        #expect(try await returned.read { try $0.setting("made there") } == "new")
        try await returned.close()
    }

    @Test("A kept copy is a store of its own with a fence, and the source goes on", arguments: CopyEngine.pairs)
    func kept(pair: (CopyEngine, CopyEngine)) async throws {
        let (first, second) = (try CopyPlaceForTests(pair.0), try CopyPlaceForTests(pair.1))
        let store = try first.open()
        try await store.write { _ = try $0.add("a") }
        _ = try StoreCopier(first.source(), second.target(), smallOptions(keeps: true)).run()
        try await store.write { _ = try $0.add("b") }
        let copy = try second.open()
        try await copy.write { _ = try $0.add("c") }
        #expect(try await Self.feed(store) == ["a", "b"])
        #expect(try await Self.feed(copy) == ["a", "c"])
        let (old, new) = (try await store.read { try $0.lastSequence }, try await copy.read { try $0.lastSequence })
        #expect(new.value > old.value + 1_000)
        #expect(try await copy.read { try $0.restores() }.isEmpty == false)
        try await store.close()
        try await copy.close()
        #expect(try first.source().outgoing() == nil)
    }

    @Test("Data of another program, other stores and other copies are left alone", arguments: CopyEngine.allCases)
    func occupied(engine: CopyEngine) async throws {
        let (first, second) = (try CopyPlaceForTests(.sqlite), try CopyPlaceForTests(engine))
        try await first.fill()
        let other = try second.open()
        try await other.write { _ = try $0.add("other") }
        let refusal = #expect(throws: StoreCopyError.self) { try StoreCopier(first.source(), second.target()).run() }
        #expect(refusal?.code == .occupied)
        #expect(try await Self.feed(other) == ["other"])
        #expect(try first.source().outgoing() == nil)
        try await other.close()
        let foreign = try CopyPlaceForTests(engine)
        switch engine {
        case .sqlite:
            try FileManager.default.createDirectory(atPath: foreign.name, withIntermediateDirectories: true)
            try "text".write(toFile: foreign.name + "/notes.txt", atomically: true, encoding: .utf8)
        case .postgreSQL:
            try foreign.connect().execute(script: "CREATE SCHEMA \(foreign.name); CREATE TABLE \(foreign.name).notes (text text)")
        }
        #expect(throws: StorageError(.notAStore, "")) { try StoreCopier(first.source(), foreign.target()).run() }
    }
}
