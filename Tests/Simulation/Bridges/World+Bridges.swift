import Storage

extension World {
    /// Starts the bridges that have crashed.
    func revive() async throws -> String {
        guard bridge.isDown else { return "none is down" }
        ledger.happen(.revived)
        try await bridge.recover()
        return ""
    }

    /// Restarts one bridge in order. If it has the lease, the other one takes it at once.
    func restart(_ number: Int) async throws -> String {
        guard bridge.isShared else { return "there is one bridge" }
        try await bridge.recover()
        let holder = try await bridge.worker()
        try await bridge.restart(bridge.sites[number]) {
            let before = bridge.time
            try await bridge.worker()
            guard bridge.time - before <= BridgeMember.interval else {
                throw Violation(invariant: .fencing, detail: "the lease of a bridge that stopped in order was not free at once")
            }
        }
        guard holder.number == number else { return "" }
        ledger.happen(.handedOver)
        return "it had the lease"
    }

    /// Stops the bridge that does the work in the middle of a replication, lets the other bridge take the work over and replicate, and lets the first
    /// one go on: it may write nothing of the work any more.
    func takeOver(_ upstream: Upstream, _ direction: Direction, _ stop: Stop) async throws -> String {
        guard bridge.isShared, let server = upstreams[upstream] else { return "there is none" }
        guard let direction = allowed(direction, with: upstream) else { return "not at this stage" }
        try await bridge.recover()
        let first = try await bridge.worker()
        var traffic = Traffic()
        let isStopped = try await bridge.replicate(with: server, upstream, direction, stoppingAt: stop) {
            first.isPaused = true
            defer { first.isPaused = false }
            traffic = try await bridge.replicate(with: server, upstream, direction, nil).0
            first.store.refuseWrites(true)
        }
        first.store.arm(nil as Pause?)
        guard isStopped else { return "it ended before" }
        ledger.happen(.tookOver)
        try check(late: first.store.refuseWrites(false))
        return "the other one: \(traffic)"
    }

    /// Moves documents into collections. In the middle the other bridge takes the moves over.
    func migrate(stoppingAfter count: Int) async throws -> String {
        guard bridge.isShared else { return "there is one bridge" }
        try await bridge.recover()
        guard let (moved, late) = try await bridge.migrate(stoppingAfter: count) else { return "it ended before" }
        ledger.happen(.tookMovesOver)
        try check(late: late)
        return "the other one has moved \(moved)"
    }

    private func check(late count: Int) throws {
        guard count == 0 else {
            throw Violation(invariant: .fencing, detail: "a bridge has written \(count) times after another one had taken its work over")
        }
    }

    /// All bridges show the same documents, whatever they have in memory.
    func checkBridges() async throws {
        guard bridge.isShared else { return }
        for keyspace in [""] + Subject.collections {
            let first = try await bridge.holdings(in: keyspace, at: bridge.sites[0])
            let second = try await bridge.holdings(in: keyspace, at: bridge.sites[1])
            guard first != second else { continue }
            let place = Set(first.keys).union(second.keys).sorted().first { first[$0] != second[$0] }
            throw Violation(
                invariant: .convergence,
                detail: place.map { "\($0): bridge 0 has \(String(describing: first[$0])), bridge 1 \(String(describing: second[$0]))" }
                    ?? "")
        }
    }
}
