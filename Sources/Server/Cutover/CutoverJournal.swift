import BridgeConfiguration
import Cutover
import Foundation
import Migration
import Storage

/// The persisted state of a database's cutover: the stage (authoritative after a crash), the last comparison, and the audit.
struct CutoverJournal: Sendable {
    static let stageSetting = "cutover.stage"

    /// The stage that the bridge with the lease is about to enter. Other bridges enter it first.
    private static let nextStageSetting = "cutover.next"
    private static let paritySetting = "cutover.parity"
    private static let bodiesSetting = "cutover.bodies"
    private static let differencesSetting = "cutover.differences"
    private static let detachedSetting = "cutover.detached"

    /// The most differing documents that are kept.
    static let listed = 10_000

    let store: any Store

    /// The stage. Sets it to the first if the database has none yet.
    func stage(beginningWith first: CutoverStage) async throws -> CutoverStage {
        if let stage = try await store.read({ try Self.stage(in: $0) }) { return stage }
        return try await store.write { transaction in
            if let stage = try Self.stage(in: transaction) { return stage }
            try transaction.set(first.rawValue, forSetting: Self.stageSetting)
            return first
        }
    }

    /// The text of the stage that a bridge without the lease has to enter; `nil` if the database has none.
    static func followedStage(in snapshot: any StoreSnapshot) throws -> String? {
        try snapshot.setting(nextStageSetting) ?? snapshot.setting(stageSetting)
    }

    /// Announces a step to other bridges; `nil` withdraws the announcement.
    func announce(_ stage: CutoverStage?) async throws {
        try await store.write { transaction in
            guard try transaction.setting(Self.nextStageSetting) != stage?.rawValue else { return }
            try transaction.set(stage?.rawValue, forSetting: Self.nextStageSetting)
        }
    }

    private static func stage(in snapshot: any StoreSnapshot) throws -> CutoverStage? {
        try snapshot.setting(stageSetting).flatMap { CutoverStage(rawValue: $0) }
    }

    /// Sets the stage and adds the step to the audit, in one transaction. Deletes the last comparison, which does not apply to the next
    /// step.
    func commit(_ step: CutoverStep, _ record: CutoverStepRecord) async throws {
        try await store.write { transaction in
            try transaction.set(step.to.rawValue, forSetting: Self.stageSetting)
            try transaction.set(nil, forSetting: Self.nextStageSetting)
            try transaction.set(nil, forSetting: Self.paritySetting)
            try transaction.set(nil, forSetting: Self.differencesSetting)
            if step.to == .complete, step.action == .advance {
                try transaction.set(transaction.lastSequence.description, forSetting: Self.detachedSetting)
            }
            try transaction.add(record)
        }
    }

    func add(_ record: CutoverStepRecord) async throws {
        try await store.write { _ = try $0.add(record) }
    }

    /// The latest steps, newest first.
    func history(limit: Int) async throws -> [CutoverStepRecord] {
        try await store.read { try $0.cutoverSteps(limit: limit) }
    }

    /// The sequence up to which everything was replicated to the old server when it was detached.
    static func detached(in snapshot: any StoreSnapshot) throws -> SequenceNumber? {
        try snapshot.setting(detachedSetting).flatMap { Int64($0) }.map { SequenceNumber($0) }
    }

    /// Stores the outcome of a comparison in place of the last one.
    func persist(_ found: ParityFindings) async throws {
        func text(_ value: some Encodable) throws -> String { String(decoding: try JSONEncoder().encode(value), as: UTF8.self) }
        let differences = Array(found.differences.prefix(Self.listed))
        let (parity, bodies, listed) = (try text(found.result), try text(found.bodies), try text(differences))
        try await store.write { transaction in
            try transaction.set(parity, forSetting: Self.paritySetting)
            try transaction.set(bodies, forSetting: Self.bodiesSetting)
            try transaction.set(differences.isEmpty ? nil : listed, forSetting: Self.differencesSetting)
        }
    }

    /// The documents that differed in the last comparison.
    func differences() async throws -> [ReportDifference] {
        let stored = try await store.read { try $0.setting(Self.differencesSetting) }
        return stored.flatMap { try? JSONDecoder().decode([ReportDifference].self, from: Data($0.utf8)) } ?? []
    }

    /// The progress of comparing bodies with those of an old server.
    func bodies(of source: String) async throws -> BodyProgress {
        let stored = try await store.read { try $0.setting(Self.bodiesSetting) }
        let progress = stored.flatMap { try? JSONDecoder().decode(BodyProgress.self, from: Data($0.utf8)) }
        return progress.flatMap { $0.source == source ? $0 : nil } ?? BodyProgress(source: source)
    }

    static func parity(in snapshot: any StoreSnapshot) throws -> ParityResult? {
        try snapshot.setting(paritySetting).flatMap { try? JSONDecoder().decode(ParityResult.self, from: Data($0.utf8)) }
    }
}
