import Documents
import Foundation
import Gateway
import Migration
import SQLiteStorage
import Storage
import TestSupport
import Testing

/// `DUALGAUGE_MIGRATION_KILLS` and `DUALGAUGE_MIGRATION_DOCUMENTS` make it a longer test.
@Suite("Migrations that are killed")
struct CrashTests {
    private static func setting(_ name: String, _ standard: Int) -> Int {
        ProcessInfo.processInfo.environment["DUALGAUGE_MIGRATION_\(name)"].flatMap { Int($0) } ?? standard
    }

    @Test("A run that is killed at random moments ends with the same store as an undisturbed one")
    func killed() async throws {
        let target = try Target()
        let source = target.folder + "/source.dualgauge"
        let documents = Self.setting("DOCUMENTS", 600)
        try await RandomStore.make(at: source, documents: documents, seed: 17)
        for kill in 0..<Self.setting("KILLS", 4) {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [source = source as String, path = target.path as String, kill = kill as Int, documents = documents as Int] in
                try await KilledMigration(source: source, path: path).run(seed: UInt64(kill), documents: documents)
            }
        }
        let last = try await KilledMigration(source: source, path: target.path).finish()
        #expect(last.failure == nil)
        #expect(last.report.isClean)
        let whole = try Target()
        let uninterrupted = try await KilledMigration(source: source, path: whole.path).finish()
        #expect(uninterrupted.report.collections == last.report.collections)
        let (contents, expected) = (try await target.contents(), try await whole.contents())
        #expect(contents == expected)
        #expect(contents.count == documents)
        try await target.expectSound()
    }
}

/// A run from a store into another, in a process of its own.
private struct KilledMigration {
    let source: String
    let path: String

    /// Runs until a random moment from the seed, and then kills the process.
    func run(seed: UInt64, documents: Int) async throws {
        var generator = SeededGenerator(seed: seed)
        // In the middle of anything: reading, writing, or the commit.
        let delay = Int.random(in: 0...40, using: &generator)
        let stop = Int.random(in: 0..<documents / 2, using: &generator)
        let begun = seed * UInt64(documents) / 16
        _ = try await migrate { progress in
            guard progress.done >= stop + Int(begun) else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) { kill(getpid(), SIGKILL) }
        }
        kill(getpid(), SIGKILL)
    }

    func finish() async throws -> MigrationResult { try await migrate { _ in } }

    private func migrate(_ progress: @escaping @Sendable (MigrationProgress) -> Void) async throws -> MigrationResult {
        let from = StoreSource(try SQLiteStore(path: source), label: "source")
        let configuration = Target.configuration {
            $0.collections.append(CollectionConfiguration(name: CollectionName(scope: "own", name: "things")))
        }
        let database = try await Target.database(configuration, try SQLiteStore(path: path))
        var options = MigrationOptions()
        options.batch.documents = 7
        let result = await SourceMigration(from, to: database, options: options, head: Target.head).run(progress: progress)
        try await database.close()
        await from.close()
        return result
    }
}
