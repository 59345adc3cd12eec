import Foundation
import TestSupport
import Testing

@testable import PostgreSQLStorage
@testable import SQLiteStorage
@testable import Storage

/// The engines that implement `Store`. The tests of the contract run with each.
enum StorageEngine: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case sqlite = "SQLite"
    case postgreSQL = "PostgreSQL"

    static let all = allCases

    var testDescription: String { rawValue }
}

/// Options that every engine has.
struct EngineOptions {
    var createsIfMissing = true
    var readerCount = 4
    var pollInterval = Duration.milliseconds(300)
}

/// What the tests of the contract ask a store beside `Store`.
protocol MeasuredStore: Store {
    var commitCount: UInt64 { get }
    var waiterCount: Int { get }
    var queuedReads: Int { get }
    var queuedWrites: Int { get }
    var poll: CommitPoll { get }

    /// Expects that the stored data are consistent.
    func expectSound(sourceLocation: SourceLocation) async throws
}

extension MeasuredStore {
    func expectSound(at sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await expectSound(sourceLocation: sourceLocation)
    }

    /// Waits until this number of followers waits for a commit.
    func waitForWaiters(_ count: Int) async {
        await eventually { waiterCount >= count }
    }

    /// Waits until this amount of work waits for its turn to write.
    func waitForQueuedWrites(_ count: Int) async {
        await eventually { queuedWrites >= count }
    }
}

extension SQLiteStore: MeasuredStore {
    func expectSound(sourceLocation: SourceLocation) async throws {
        let report = try await check()
        #expect(report.isSound, "\(report.problems)", sourceLocation: sourceLocation)
    }
}

/// The place of a store for one test, removed afterwards.
final class TemporaryStore: Sendable {
    private enum Place: Sendable {
        case folder(TemporaryFolder)
        case schema(TemporarySchema)
    }

    private let place: Place

    init(_ engine: StorageEngine) throws {
        switch engine {
        case .sqlite: place = .folder(try TemporaryFolder())
        case .postgreSQL: place = .schema(try TemporarySchema())
        }
    }

    func open(_ change: (inout EngineOptions) -> Void = { _ in }) throws -> any MeasuredStore {
        var options = EngineOptions()
        change(&options)
        switch place {
        case .folder(let folder):
            return try folder.open {
                $0.createsIfMissing = options.createsIfMissing
                $0.readerCount = options.readerCount
                $0.pollInterval = options.pollInterval
            }
        case .schema(let schema):
            return try schema.open {
                $0.createsIfMissing = options.createsIfMissing
                $0.readerCount = options.readerCount
                $0.pollInterval = options.pollInterval
            }
        }
    }
}

/// Runs a test with a store of its own.
func withStore(
    _ engine: StorageEngine, _ change: (inout EngineOptions) -> Void = { _ in }, _ body: (any MeasuredStore) async throws -> Void
) async throws {
    let place = try TemporaryStore(engine)
    let store = try place.open(change)
    try await body(store)
    try await store.close()
}
