import Coordination
import Cutover
import TestSupport
import Testing

@Suite("The stages of a cutover while both servers are written to", .serialized, .timeLimit(.minutes(5)))
struct CutoverLoadTests {
    /// Documents that both servers have acknowledged while the stages change.
    private final class Load: Sendable {
        private let state = Lock((written: [String: Set<String>](), isOver: false))

        func record(_ id: String, on side: String) { state.withLock { _ = $0.written[side, default: []].insert(id) } }
        func written(on side: String) -> Set<String> { state.withLock { $0.written[side] ?? [] } }
        func end() { state.withLock { $0.isOver = true } }
        var isOver: Bool { state.withLock { $0.isOver } }
    }

    /// Writes new documents until the load ends; at most a number that keeps the test small.
    private static func write(_ side: String, on bridge: @escaping @Sendable (String) async throws -> RawAnswer, _ load: Load) async throws
    {
        for number in 0..<300 where !load.isOver {
            let id = "\(side)\(number)"
            #expect(try await bridge(id).status == 201)
            load.record(id, on: side)
        }
    }

    /// Waits until all documents so far are on the servers of the stage, and expects that none was lost.
    private static func expectKept(_ world: CutoverWorld, at stage: CutoverStage, _ load: Load) async throws {
        let (old, new) = (load.written(on: "old"), load.written(on: "new"))
        try await eventually {
            let (here, there) = (try await CutoverWorld.leaves(of: world.new), try await CutoverWorld.leaves(of: world.old))
            // No step creates a revision of its own.
            for leaves in [here, there] { #expect(leaves.values.allSatisfy { $0.count == 1 && $0.allSatisfy { $0.hasPrefix("1-") } }) }
            #expect(new.isSubset(of: here.keys) && old.isSubset(of: there.keys), "at \(stage)")
            let isPulled = !stage.pullsFromLegacy || old.isSubset(of: here.keys)
            return isPulled && (!stage.pushesToLegacy || new.isSubset(of: there.keys))
        }
    }

    @Test("Under load no step forward or back loses a document, and each stage replicates in its directions")
    func arrows() async throws {
        let load = Load()
        try await CutoverWorld.run { world in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await Self.write("old", on: { try await world.old.admin("PUT", "/shop/\($0)", "{}") }, load) }
                // Also after the sunset.
                group.addTask { try await Self.write("new", on: { try await world.new.admin("PUT", "/shop/\($0)", "{}") }, load) }
                group.addTask {
                    defer { load.end() }
                    let actions = Array(repeating: CutoverAction.advance, count: 4) + Array(repeating: .reverse, count: 4) + [.advance]
                    for action in actions {
                        try await world.force(action)
                        let stage = try #require(try await world.stage.flatMap { CutoverStage(rawValue: $0) })
                        try await Self.expectKept(world, at: stage, load)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await world.stage == "dual")
            try await world.converged(load.written(on: "old").count + load.written(on: "new").count)
            for (side, bridge) in [("old", world.old), ("new", world.new)] {
                try await bridge.expectSoundStore(after: "a cutover, \(side)")
            }
        }
    }
}
