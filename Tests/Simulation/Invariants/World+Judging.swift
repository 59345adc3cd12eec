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

    /// Clients hold what their servers hold, and the upstreams what the bridge holds.
    func checkConvergence() async throws {
        for (client, home) in zip(clients, homes) {
            for keyspace in client.keyspaces {
                let here = client.holdings.filter { $0.key.keyspace == keyspace }
                try await compare(client.name, here, with: home, keyspace, countsLeaves: client.speaksLegacyProtocol)
            }
        }
        if let old = upstreams[.legacy] {
            try await compare("the legacy upstream", try await old.holdings(in: ""), with: bridge, "", countsLeaves: true)
        }
        for keyspace in Subject.collections {
            guard let new = upstreams[.modern] else { continue }
            try await compare(
                "the modern upstream", try await new.holdings(in: keyspace), with: bridge, keyspace, countsLeaves: false,
                keepsTombstones: false)
        }
    }

    /// - Parameter keepsTombstones: whether it takes tombstones of documents that it never had. The first pull of a 2.x+ replicator does not.
    private func compare(
        _ holder: String, _ here: [Place: Holding], with server: Node, _ keyspace: String, countsLeaves: Bool,
        keepsTombstones: Bool = true
    ) async throws {
        let there = try await server.holdings(in: keyspace)
        for place in Set(here.keys).union(there.keys).sorted() {
            guard let expected = there[place] else {
                // What was moved elsewhere stays where a client of the old collection has it.
                if !keepsTombstones, here[place]?.content.isDeleted ?? false { continue }
                if !keyspace.isEmpty, try await server.tree(at: place) != nil { continue }
                throw Violation(invariant: .convergence, detail: "\(holder) has \(place), the \(server.name) has not")
            }
            guard let held = here[place] else {
                if expected.content.isDeleted, !keepsTombstones { continue }
                throw Violation(invariant: .convergence, detail: "\(holder) lacks \(place), which the \(server.name) has as \(expected)")
            }
            // By which tombstone a document is deleted is of no concern to a 2.x+ replicator.
            if !keepsTombstones, held.content.isDeleted, expected.content.isDeleted { continue }
            let isSame = held.winner == expected.winner && held.content == expected.content
            guard isSame, !countsLeaves || held.leaves == expected.leaves else {
                throw Violation(
                    invariant: .convergence, detail: "\(holder) has \(place) as \(held), the \(server.name) as \(expected)")
            }
        }
    }

    /// What was acknowledged is in the tree, and what wins does so by the rule.
    func checkDurability() async throws {
        for server in [bridge] + Upstream.allCases.compactMap({ upstreams[$0] }) {
            var trees: [Place: RevisionTree] = [:]
            for acknowledged in ledger.acknowledged where acknowledged.server == server.name {
                let place = acknowledged.place
                if trees[place] == nil { trees[place] = try await server.tree(at: place) }
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
}
