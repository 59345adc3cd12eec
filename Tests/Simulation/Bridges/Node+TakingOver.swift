import Access
import Gateway
import Storage

@testable import LegacyClient
@testable import ModernClient

extension Node {
    /// Replicates with a server, and stops the process that does it in the middle of one of its runs.
    ///
    /// - Parameter meanwhile: Called while the process is stopped.
    /// - Returns: Whether it was stopped.
    func replicate(
        with other: Node, _ upstream: Upstream, _ direction: Direction, stoppingAt stop: Stop,
        _ meanwhile: () async throws -> Void
    ) async throws -> Bool {
        for collection in upstream == .legacy ? [""] : Subject.collections {
            for step in [Direction.pull, .push] where direction == .both || direction == step || upstream == .modern && step == .pull {
                let pause = Pause(isWithin: stop.kind == .lock)
                if stop.kind != .message { sites[working].store.arm(pause, at: stop.position) }
                let isReached =
                    upstream == .legacy
                    ? try await replicate(withLegacy: other, step, pause, stop, meanwhile)
                    : try await replicate(collection, withModern: other, step, pause, meanwhile)
                guard !isReached else { return true }
            }
        }
        return false
    }

    private func replicate(
        withLegacy other: Node, _ direction: Direction, _ pause: Pause, _ stop: Stop, _ meanwhile: () async throws -> Void
    ) async throws -> Bool {
        let transport = LegacyTransport(
            to: other.responder(for: .administrator), fault: nil, pause: stop.kind == .message ? (pause, stop.position) : nil)
        let run = try run(withLegacy: other, direction, transport)
        let ended = Task {
            defer { pause.miss() }
            try await run.run()
        }
        let isReached = try await wait(for: pause, meanwhile)
        let result = await ended.result
        if !isReached { try result.get() }
        return isReached
    }

    private func replicate(
        _ collection: String, withModern other: Node, _ direction: Direction, _ pause: Pause, _ meanwhile: () async throws -> Void
    ) async throws -> Bool {
        var isReached = false
        let pulls = collection == Subject.collections[0] ? 2 : 1
        _ = try await converse(collection, withModern: other, direction, pulls: pulls) { replicator in
            await replicator.start()
            let ended = Task {
                let status = await replicator.waitUntilStopped()
                pause.miss()
                return status
            }
            isReached = try await wait(for: pause, meanwhile)
            let status = await ended.value
            if !isReached, let error = status.error { throw error }
        }
        return isReached
    }

    /// Moves the documents of the routes. After some steps the process is stopped, another one takes the moves over, and the first one goes on.
    ///
    /// - Returns: The number of documents that the other one has moved, and of the first one's writes since; `nil` if the moves ended before.
    func migrate(stoppingAfter count: Int) async throws -> (moved: Int, late: Int)? {
        try await restart { $0.routes = DatabaseConfiguration.shopRoutes }
        let (first, database) = (try await worker(), work)
        var steps = database.moveSteps(of: try await database.beginMoves(fingerprint: database.routesFingerprint))
        for _ in 0..<count {
            guard try await steps.next(limit: 1) != nil else { return nil }
        }
        first.isPaused = true
        try await worker()
        var others = work.moveSteps(of: try await work.beginMoves(fingerprint: work.routesFingerprint))
        var moved = 0
        while let step = try await others.next(limit: 2) { moved += step.moved.values.reduce(0) { $0 + $1.documents } }
        first.isPaused = false
        first.store.refuseWrites(true)
        do {
            while try await steps.next(limit: 1) != nil {}
        } catch let error as StorageError where error.code == .fenced {}
        return (moved, first.store.refuseWrites(false))
    }

    /// - Returns: Whether the process was stopped.
    private func wait(for pause: Pause, _ meanwhile: () async throws -> Void) async throws -> Bool {
        guard await pause.isReached() else { return false }
        defer { pause.resume() }
        try await meanwhile()
        return true
    }
}
