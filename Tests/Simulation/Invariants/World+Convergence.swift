import Access
import Cutover
import Documents

extension World {
    /// Clients hold what their servers hold, and the upstreams what the bridge holds, as far as the stage wants it.
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

    /// How strictly two are compared.
    private struct Comparison {
        var countsLeaves = false

        /// Whether it takes tombstones of documents that it never had. The first pull of a 2.x+ replicator does not.
        var keepsTombstones = true

        /// Documents of which its client is to have what there is, and may have more: it sees some of them only.
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
        // Of what was moved elsewhere a client keeps its copy; what its user has changed there does not stay on the device.
        for place in client.unsettled.sorted() where place.keyspace == keyspace && !ledger.hasLost(place, by: node.name) {
            throw Violation(invariant: .convergence, detail: "\(client.name) has an edit of \(place) that it cannot get rid of")
        }
    }

    /// Whether a 4.x device stays with what it has, as its vector has the version that is at the server.
    private func mayDiffer(_ place: Place, on client: any SimulatedClient) -> Bool {
        guard let database = (client as? ModernClient)?.database as? VersionDatabase else { return false }
        return ledger.hasCopiedEdit(place, client.name) || database.keptOld.contains(place)
    }

    /// The server shows a user what the model says, no less and no more.
    private func check(_ reader: Reader, is seen: [Place: Holding], shownBy server: Node, _ keyspace: String) async throws {
        let shown = try await server.holdings(in: keyspace, as: .user(reader.name)).filter { !$0.value.content.isDeleted }
        for place in Set(shown.keys).union(seen.keys).sorted() where (shown[place] == nil) != (seen[place] == nil) {
            guard shown[place] == nil else {
                throw Violation(invariant: .privacy, detail: "the \(server.name) shows \(place) to \(reader.name), who may not see it")
            }
            throw Violation(invariant: .convergence, detail: "the \(server.name) does not show \(place) to \(reader.name)")
        }
    }

    /// What a client got by a pull and may not see any more is gone from it. Left out is what it has made itself: nobody tells it that it may not see that.
    private func check(
        _ client: any SimulatedClient, holds here: [Place: Holding], seeing seen: [Place: Holding], of all: [Place: Holding],
        on server: Node
    ) throws {
        // A 2.x client does not ask for what was taken away.
        guard client.generation != .second else { return }
        for (place, held) in here.sorted(by: { $0.key < $1.key }) where seen[place] == nil && !held.content.isDeleted {
            guard let now = all[place], !now.content.isDeleted, let winner = held.winner, winner == now.winner else { continue }
            guard !client.unsettled.contains(place), !ledger.hasLost(place, by: server.name),
                !ledger.hasToldInLostTime(place, by: server.name)
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
                // What was moved elsewhere stays where a client of the old collection has it.
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
            // By which tombstone a document is deleted is of no concern to a 2.x+ replicator.
            if !rules.keepsTombstones, held.content.isDeleted, expected.content.isDeleted { continue }
            let isSame = (held.winner == nil || held.winner == expected.winner) && held.content == expected.content
            guard isSame, !rules.countsLeaves || held.leaves == expected.leaves else {
                if try await isLeftBehind(place, on: server) { continue }
                // A server with one line refuses the branches that it has shown and lost; a client that has them stays with them.
                if server.refusesBranches, isSame, held.leaves.isSuperset(of: expected.leaves),
                    ledger.hasToldInLostTime(place, by: server.name)
                {
                    continue
                }
                throw Violation(
                    invariant: .convergence, detail: "\(holder) has \(place) as \(held), the \(server.name) as \(expected)")
            }
        }
    }

    /// Whether a restored upstream has lost what it had shown of a document that the bridge has moved elsewhere: the bridge brings it to the new place alone, and
    /// clients of the upstream know that it had it.
    private func isLeftBehind(_ place: Place, on server: Node) async throws -> Bool {
        guard server !== bridge, ledger.hasLostShown(place, by: server.name), try await bridge.tree(at: place) != nil else { return false }
        return try await bridge.holdings(in: place.keyspace)[place] == nil
    }

    /// The legacy upstream against the bridge: the same at `dual`, what the one or the other has besides where only one direction goes.
    private func compare(_ old: Node, at stage: CutoverStage) async throws {
        let (here, there) = (try await old.holdings(in: ""), try await bridge.holdings(in: ""))
        switch (stage.pullsFromLegacy, stage.pushesToLegacy) {
        case (true, true):
            // Branches that have lost stay here, and so do tombstones of those.
            let rules = Comparison(countsLeaves: !old.refusesBranches, keepsTombstones: !old.refusesBranches)
            try await compare("the legacy upstream", here, with: bridge, there, "", rules)
        case (true, false): try await check(here, areKnownTo: bridge)
        // What is written there is not looked at, and a line that has gone on takes nothing: `dual` shows whether it comes together.
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

    /// A document that lived in a collection when the app of a client gained some has not come back as another one in the default collection.
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
