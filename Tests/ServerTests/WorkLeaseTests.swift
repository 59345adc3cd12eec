import Coordination
import Cutover
import Foundation
import Logging
import Storage
import Stores
import TestSupport
import Testing

@testable import Server

@Suite("The lease of a bridge's work", .timeLimit(.minutes(2)))
struct WorkLeaseTests {
    /// Counts the beginnings and ends of the work.
    private final class Record: Sendable {
        let counts = Lock((begun: 0, ended: 0))

        var work: WorkLease.Work {
            WorkLease.Work(begin: { self.counts.withLock { $0.begun += 1 } }, end: { self.counts.withLock { $0.ended += 1 } })
        }

        var begun: Int { counts.withLock { $0.begun } }
        var ended: Int { counts.withLock { $0.ended } }
    }

    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func withStores(_ body: (any StoreEngine, any StoreEngine) async throws -> Void) async throws {
        let location = try TestStores.postgreSQL(UUID().uuidString)
        let (one, two) = (try await location.open(), try await location.open())
        try await body(one, two)
        try await one.close()
        try await two.close()
    }

    /// Runs two bridges; the first one has the lease.
    private func withBridges(_ body: (_ lease: WorkLease, Record, _ other: WorkLease, Record) async throws -> Void) async throws {
        try await withStores { one, two in
            let (first, second) = (Record(), Record())
            let lease = WorkLease(one, bridge: "first", logger: logger)
            let other = WorkLease(two, bridge: "second", logger: logger)
            await lease.start(facts: { WorkLease.Facts(clients: 3) }, work: first.work)
            await other.start(facts: { WorkLease.Facts(clients: 0) }, work: second.work)
            try await body(lease, first, other, second)
        }
    }

    @Test("A bridge without the lease does not begin the work; it does when the other one leaves")
    func handOver() async throws {
        try await withBridges { lease, first, other, second in
            #expect(lease.isHeld && first.begun == 1)
            #expect(!other.isHeld && second.begun == 0)
            #expect(other.roster.bridges["first"]?.clients == 3)
            #expect(other.holderName != nil)
            await lease.stop(leaves: true)
            #expect(first.ended == 1)
            await eventually { other.isHeld }
            #expect(second.begun == 1)
            await other.stop(leaves: true)
        }
    }

    @Test("Devices are passed on by the bridge with the lease, and by others that have seen no end of the pull in their last sign of life")
    func passingOn() {
        var roster = BridgeRoster()
        let first = BridgeMember(id: "a", name: "a", started: 0)
        // Nobody knows whether there are others.
        #expect(!WorkLease.permitsPassingOn(first, roster, nil, at: .zero))
        let holder = first.beating(&roster, at: .zero, clients: 0)
        #expect(WorkLease.permitsPassingOn(holder, roster, .switched, at: .seconds(1_000)), "it is alone")
        let other = BridgeMember(id: "b", name: "b", started: 0).beating(&roster, at: .zero, clients: 0)
        #expect(holder.lease != nil && other.lease == nil)
        for stage in [nil] + CutoverStage.allCases.map(Optional.some) {
            #expect(WorkLease.permitsPassingOn(holder, roster, stage, at: .seconds(1)))
            #expect(WorkLease.permitsPassingOn(other, roster, stage, at: .seconds(1)) == (stage?.pullsFromLegacy ?? true))
            for member in [holder, other] { #expect(!WorkLease.permitsPassingOn(member, roster, stage, at: .seconds(8))) }
        }
    }

    @Test("A bridge that stops soon ends its work, and stays in the list until it leaves")
    func resigning() async throws {
        try await withBridges { lease, first, other, _ in
            await lease.resign()
            #expect(!lease.isHeld && first.ended == 1 && lease.holderName == nil)
            await eventually { other.isHeld }
            #expect(other.roster.bridges["first"]?.isStopping == true && other.roster.bridges["second"]?.isStopping == nil)
            let beat = other.roster.bridges["first"]?.beat ?? 0
            await eventually { other.roster.bridges["first"].map { $0.beat > beat } == true }
            await lease.stop(leaves: true)
            await eventually { other.roster.bridges["first"] == nil }
            await other.stop(leaves: true)
            #expect(!lease.isHeld && first.begun == 1)
        }
    }

    @Test("The writes of a bridge whose lease was taken over while it was paused are refused, and its work ends")
    func fence() async throws {
        try await withStores { one, two in
            let record = Record()
            let lease = WorkLease(one, bridge: "paused", logger: logger)
            await lease.start(facts: { WorkLease.Facts(clients: 0) }, work: record.work)
            let fenced = lease.fenced(one)
            try await fenced.write { try $0.set("1", forSetting: "test") }
            // As another bridge does after the time of death.
            try await two.write { transaction in
                var roster = try BridgeRoster(in: transaction)
                let other = BridgeMember(id: "other", name: "other", started: 0)
                _ = other.beating(&roster, at: .zero, clients: 0)
                roster.holder = "other"
                roster.fence += 1
                try roster.write(in: transaction)
            }
            await #expect(throws: StorageError(.fenced, "")) { try await fenced.write { try $0.set("2", forSetting: "test") } }
            #expect(try await one.read { try $0.setting("test") } == "1")
            await eventually { record.ended == 1 }
            #expect(!lease.isHeld)
            // Its own writes, such as those of its clients, are not part of the work.
            try await one.write { try $0.set("3", forSetting: "test") }
            await lease.stop(leaves: true)
        }
    }

    @Test("A bridge that is configured anew keeps its lease")
    func configured() async throws {
        try await withStores { one, _ in
            let (before, after) = (Record(), Record())
            let lease = WorkLease(one, bridge: "first", logger: logger)
            await lease.start(facts: { WorkLease.Facts(clients: 0) }, work: before.work)
            await lease.stop(leaves: false)
            let next = WorkLease(one, bridge: "first", logger: logger)
            await next.start(facts: { WorkLease.Facts(clients: 0) }, work: after.work)
            #expect(next.isHeld && next.roster.fence == 1)
            await next.stop(leaves: true)
        }
    }
}
