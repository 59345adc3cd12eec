import Documents

extension World {
    /// Checks what holds once everybody has replicated until nothing moved.
    ///
    /// - Throws: ``Violation``.
    func judge() async throws {
        try await checkConvergence()
        try await checkDurability()
        if let repetition = ledger.repetitions.first {
            throw Violation(
                invariant: .economy, detail: "\(repetition.place) \(repetition.revision) was sent to \(repetition.client), which had it")
        }
        if let alteration = ledger.alterations.first { throw Violation(invariant: .identity, detail: alteration) }
        let traffic = try await round()
        guard traffic.isQuiet else { throw Violation(invariant: .quiet, detail: "an idle round transfers: \(traffic)") }
    }

    private func checkConvergence() async throws {
        for client in clients {
            for keyspace in client.keyspaces {
                let there = try await bridge.holdings(in: keyspace)
                try await check(client, keyspace, there)
            }
        }
    }

    private func check(_ client: any SimulatedClient, _ keyspace: String, _ there: [Place: Holding]) async throws {
        let here = client.holdings.filter { $0.key.keyspace == keyspace }
        for place in Set(here.keys).union(there.keys).sorted() {
            // What was moved elsewhere stays where a client of the old collection has it.
            guard let expected = there[place] else {
                if !keyspace.isEmpty, try await bridge.tree(at: place) != nil { continue }
                throw Violation(invariant: .convergence, detail: "\(client.name) holds \(place), the server does not")
            }
            guard let held = here[place] else {
                throw Violation(invariant: .convergence, detail: "\(client.name) does not hold \(place): \(expected)")
            }
            let isSame = held.winner == expected.winner && held.content == expected.content
            let hasSameLeaves = !(client is LegacyClient) || held.leaves == expected.leaves
            guard isSame, hasSameLeaves else {
                throw Violation(invariant: .convergence, detail: "\(client.name) holds \(place) as \(held), the server as \(expected)")
            }
        }
    }

    private func checkDurability() async throws {
        var trees: [Place: RevisionTree] = [:]
        for acknowledged in ledger.acknowledged {
            let place = acknowledged.place
            if trees[place] == nil { trees[place] = try await bridge.tree(at: place) }
            guard trees[place]?.contains(acknowledged.revision) ?? false else {
                throw Violation(
                    invariant: .durability,
                    detail: "\(place) \(acknowledged.revision) was acknowledged to \(acknowledged.client) and is gone")
            }
        }
        for (place, tree) in trees.sorted(by: { $0.key < $1.key }) where tree.winner?.id != WinningRule.winner(of: tree) {
            throw Violation(invariant: .durability, detail: "\(place): \(tree.winner?.id.text ?? "nothing") is not what wins")
        }
    }
}
