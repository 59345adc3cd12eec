import Documents

extension World {
    private var servers: [Node] { [bridge] + Upstream.allCases.compactMap { upstreams[$0] } }

    /// Acknowledged revisions are in the tree, and the winner follows the rule.
    func checkDurability() async throws {
        for server in servers {
            var trees: [Place: RevisionTree] = [:]
            for acknowledged in ledger.acknowledged where acknowledged.server == server.name {
                let place = acknowledged.place
                guard let revision = RevisionID(acknowledged.revision) else { continue }
                if trees[place] == nil { trees[place] = try await server.tree(at: place) }
                guard trees[place]?.contains(revision) ?? false else {
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

    /// Each version of a 4.x client is in the tree, as the child of a revision that the client had seen: it has overwritten no edit of another
    /// client.
    func checkLineage() async throws {
        for server in servers {
            var known: Set<String> = []
            for version in ledger.versions where version.acknowledgement.server == server.name {
                // A client pushes a version again at another URL, perhaps from a collection in which it has pulled it.
                let isFirst = known.insert(version.acknowledgement.revision).inserted
                try await check(version, on: server, isFirst: isFirst)
            }
        }
    }

    private func check(_ pushed: Ledger.PushedVersion, on server: Node, isFirst: Bool) async throws {
        let (place, text) = (pushed.acknowledgement.place, pushed.acknowledgement.revision)
        guard let version = Version(text), let tree = try await server.tree(at: place) else {
            throw Violation(invariant: .durability, detail: "\(place) \(text) was acknowledged, and the document is gone")
        }
        let all = Set(tree.leaves.flatMap { tree.history(of: $0.id) }).sorted()
        // There are several if another client has kept the version although it had received a newer one: each is that of one client.
        let revisions = try all.filter { try $0 == RevisionDigest.version(parent: tree.parent(of: $0), version: version) }
        guard !revisions.isEmpty else {
            // The present version includes it: it was merged elsewhere, and known when it was received.
            if try await server.vector(at: place)?.contains(version) ?? false { return }
            throw Violation(invariant: .durability, detail: "\(place) \(text) was acknowledged and is gone")
        }
        for revision in revisions { ledger.record(pushed.content, ofVersioned: revision, at: place) }
        // A restored server may have lost revisions in between that its client has seen.
        guard isFirst, let seen = pushed.seen, !ledger.hasLost(place, by: server.name) else { return }
        let unseen = revisions.map { revision -> (parent: RevisionID, content: Content)? in
            guard let parent = tree.parent(of: revision), let content = ledger.content(of: parent.text, at: place), !content.isDeleted,
                !seen.contains(content)
            else { return nil }
            return (parent, content)
        }
        guard !unseen.contains(where: { $0 == nil }), let (parent, content) = unseen.compactMap(\.self).first else { return }
        throw Violation(
            invariant: .lineage, detail: "\(place) \(text) was written over \(parent) (\(content)), which its client had not seen")
    }
}
