import Access
import Cutover
import Documents

extension World {
    /// Clients have their servers' documents, and the upstreams have the bridge's, as far as the stage requires it.
    func checkConvergence() async throws {
        for (client, node) in zip(clients.indices, homes) where !isRefused(client) {
            for keyspace in clients[client].keyspaces {
                try await compare(client, with: node, keyspace)
            }
        }
        if let old = upstreams[.legacy], let stage { try await compare(old, at: stage) }
        try await checkCopies()
        for keyspace in Subject.collections {
            guard let new = upstreams[.modern] else { continue }
            let rules = Comparison(countsLeaves: false, keepsTombstones: false)
            let (here, there) = (try await new.holdings(in: keyspace), try await bridge.holdings(in: keyspace))
            try await compare("the modern upstream", here, with: bridge, there, keyspace, rules)
        }
    }

    /// The strictness of a comparison.
    private struct Comparison {
        var countsLeaves = false

        /// Whether it stores tombstones of documents that it never had. The first pull of a 2.x+ replicator does not.
        var keepsTombstones = true

        /// Documents that the client has to have exactly, while it may have others: its user sees only some.
        var isLimited = false
    }

    private func compare(_ client: Int, with node: Node, _ keyspace: String) async throws {
        let (client, reader) = (clients[client], reader(client))
        let all = try await node.holdings(in: keyspace)
        let here = client.holdings.filter { $0.key.keyspace == keyspace && (all[$0.key] != nil || !client.former.contains($0.key)) }
        let there = reader.map { reader in all.filter { reader.sees($0.value.content) } } ?? all
        if let reader {
            try await check(reader, is: there, shownBy: node, keyspace)
            try check(client, holds: here, seeing: there, of: all, on: node)
        }
        let rules = Comparison(countsLeaves: client.speaksLegacyProtocol && reader == nil, isLimited: reader != nil)
        try await compare(
            client.name, here.filter { !mayDiffer($0.key, on: client) }, with: node, there.filter { !mayDiffer($0.key, on: client) },
            keyspace, rules)
        guard reader == nil else { return }
        // A client keeps its copies of documents that were moved elsewhere, without edits of its user.
        for place in client.unsent.sorted() where place.keyspace == keyspace && !ledger.hasLost(place, by: node.name) {
            throw Violation(invariant: .convergence, detail: "\(client.name) has an edit of \(place) that it cannot get rid of")
        }
    }

    /// Whether a device keeps its revision: a 4.x device whose vector includes the server's version, or a 2.x device that has moved and whose other
    /// server has lost an acknowledged revision.
    private func mayDiffer(_ place: Place, on client: any SimulatedClient) -> Bool {
        if ledger.hasMoved(client.name), let old = upstreams[.legacy],
            [old, bridge].contains(where: { ledger.hasLost(place, by: $0.name) })
        {
            return true
        }
        guard let database = (client as? ModernClient)?.database as? VersionDatabase else { return false }
        return ledger.hasCopiedEdit(place, client.name) || database.keptOld.contains(place)
    }

    /// The server shows a user exactly the documents of the model.
    private func check(_ reader: Reader, is seen: [Place: Holding], shownBy server: Node, _ keyspace: String) async throws {
        let shown = try await server.holdings(in: keyspace, as: .user(reader.name)).filter { !$0.value.content.isDeleted }
        for place in Set(shown.keys).union(seen.keys).sorted() where (shown[place] == nil) != (seen[place] == nil) {
            guard shown[place] == nil else {
                throw Violation(invariant: .privacy, detail: "the \(server.name) shows \(place) to \(reader.name), who may not see it")
            }
            throw Violation(invariant: .convergence, detail: "the \(server.name) does not show \(place) to \(reader.name)")
        }
    }

    /// A client has no pulled documents that its user may not see. Its own documents are allowed, because no message reports the loss of them.
    private func check(
        _ client: any SimulatedClient, holds here: [Place: Holding], seeing seen: [Place: Holding], of all: [Place: Holding],
        on server: Node
    ) throws {
        // A 2.x client does not ask for revocations.
        guard client.generation != .second else { return }
        for (place, held) in here.sorted(by: { $0.key < $1.key }) where seen[place] == nil && !held.content.isDeleted {
            guard let now = all[place], !now.content.isDeleted, let winner = held.winner, winner == now.winner else { continue }
            guard !client.unsent.contains(place), !ledger.hasLost(place, by: server.name),
                !ledger.hasSentInLostTime(place, by: server.name)
            else { continue }
            let isOwn = ledger.acknowledged.contains { told in
                told.client == client.name && told.revision == winner.text
                    && Subject.legacyID(of: told.place) == Subject.legacyID(of: place)
            }
            guard !isOwn else { continue }
            throw Violation(invariant: .privacy, detail: "\(client.name) still has \(place) as \(held), and may not see it any more")
        }
    }

    private func compare(
        _ holder: String, _ here: [Place: Holding], with server: Node, _ there: [Place: Holding], _ keyspace: String, _ rules: Comparison
    ) async throws {
        for place in Set(here.keys).union(there.keys).sorted() where !ledger.hasLost(place, by: server.name) {
            guard let expected = there[place] else {
                // Moved documents stay on clients of the old collection.
                if ledger.hasLostPlace(place, by: server.name) { continue }
                if rules.isLimited || !rules.keepsTombstones && here[place]?.content.isDeleted ?? false { continue }
                if !keyspace.isEmpty, try await server.tree(at: place) != nil { continue }
                throw Violation(invariant: .convergence, detail: "\(holder) has \(place), the \(server.name) has not")
            }
            if rules.isLimited, expected.content.isDeleted { continue }
            guard let held = here[place] else {
                if expected.content.isDeleted, !rules.keepsTombstones { continue }
                throw Violation(invariant: .convergence, detail: "\(holder) lacks \(place), which the \(server.name) has as \(expected)")
            }
            // A 2.x+ replicator accepts either tombstone of a document.
            if !rules.keepsTombstones, held.content.isDeleted, expected.content.isDeleted { continue }
            let isSame = (held.winner == nil || held.winner == expected.winner) && held.content == expected.content
            guard isSame, !rules.countsLeaves || held.leaves == expected.leaves else {
                if try await isLeftBehind(place, on: server) { continue }
                // A server with a single branch refuses branches that it has sent and lost; clients with these branches keep them.
                if server.refusesBranches, isSame, held.leaves.isSuperset(of: expected.leaves),
                    ledger.hasSentInLostTime(place, by: server.name)
                {
                    continue
                }
                throw Violation(
                    invariant: .convergence, detail: "\(holder) has \(place) as \(held), the \(server.name) as \(expected)")
            }
        }
    }

    /// Whether a restored upstream has lost a revision that it had sent, of a document that the bridge has moved elsewhere: the bridge pushes it only
    /// to the new collection, and the upstream's clients keep the acknowledged revision.
    private func isLeftBehind(_ place: Place, on server: Node) async throws -> Bool {
        guard server !== bridge, ledger.hasLostShown(place, by: server.name), try await bridge.tree(at: place) != nil else { return false }
        return try await bridge.holdings(in: place.keyspace)[place] == nil
    }

    /// Compares the legacy upstream with the bridge: equal at `dual`; where only one direction is replicated, one side may have more.
    private func compare(_ old: Node, at stage: CutoverStage) async throws {
        let (here, there) = (try await old.holdings(in: ""), try await bridge.holdings(in: ""))
        switch (stage.pullsFromLegacy, stage.pushesToLegacy) {
        case (true, true):
            // Losing branches stay here, and so do their tombstones.
            let rules = Comparison(countsLeaves: !old.refusesBranches, keepsTombstones: !old.refusesBranches)
            try await compare("the legacy upstream", here, with: bridge, there, "", rules)
        case (true, false): try await check(here, areKnownTo: bridge)
        // Writes there are not pulled, and a server with a single newer branch accepts nothing: the comparison at `dual` shows whether both converge.
        case (false, true) where old.refusesBranches: break
        case (false, true): try await check(there, areKnownTo: old)
        case (false, false): break
        }
    }

    private func check(_ holdings: [Place: Holding], areKnownTo server: Node) async throws {
        for (place, holding) in holdings.sorted(by: { $0.key < $1.key }) {
            let tree = try await server.tree(at: place)
            for leaf in holding.leaves.sorted() where tree?.contains(leaf) != true {
                throw Violation(
                    invariant: .convergence, detail: "the \(server.name) lacks \(place) \(leaf), at stage \(stage?.rawValue ?? "")")
            }
        }
    }

    /// A document that was in a collection when a client's app gained collections has not returned as another document in the default collection.
    private func checkCopies() async throws {
        guard upstreams[.modern] == nil, !placedElsewhere.isEmpty else { return }
        let there = try await bridge.holdings(in: Subject.collections[0])
        for place in placedElsewhere.sorted() where !ledger.hasLost(place, by: bridge.name) && !ledger.mayBeCopied.contains(place) {
            guard let copy = there[place], !copy.content.isDeleted, let subject = Subject.all.first(where: { $0.legacyID == place.id }),
                let original = try await bridge.holdings(in: subject.routed.keyspace)[subject.routed], !original.content.isDeleted
            else { continue }
            throw Violation(invariant: .identity, detail: "\(subject.routed) is also in the default collection, as \(place)")
        }
    }
}
