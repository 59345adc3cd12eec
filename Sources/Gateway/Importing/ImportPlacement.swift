import Documents
import Storage

/// Finds the current or future place of an imported document.
struct ImportPlacement {
    struct Result {
        var outcome: ImportOutcome

        /// The existing document.
        var found: DocumentRecord?

        /// The place of a new document.
        var place: Placement.Place?

        var collectionKey: CollectionKey? { found?.collection ?? place?.collection }
    }

    let database: Database
    let options: ImportOptions
    let snapshot: any StoreSnapshot

    /// - Throws: ``GatewayError`` with code `conflict` if another document has its place, `configuration` if its collection does not exist.
    func place(_ plan: ImportPlan) throws -> Result {
        let id = plan.document.id
        var outcome = ImportOutcome(
            kind: .written, collection: plan.document.collection, id: id, isMatched: true, isRefused: false, isDeleted: plan.isDeleted,
            isConflicted: plan.isConflicted, attachments: plan.winning.attachments?.entries.count ?? 0, bytes: plan.winning.body.count)
        if options.excludesTombstones, plan.isDeleted {
            outcome.kind = .leftOut
            return Result(outcome: outcome)
        }
        return plan.document.collection == .default ? try placeByRoutes(plan, outcome) : try placeInCollection(plan, outcome)
    }

    private func placeByRoutes(_ plan: ImportPlan, _ outcome: ImportOutcome) throws -> Result {
        let id = plan.document.id
        var result = Result(outcome: outcome)
        result.outcome.isMatched = plan.wanted != nil && plan.wanted?.collection != .default
        if options.collectionsOnly, !result.outcome.isMatched {
            result.outcome.kind = .leftOut
            return result
        }
        if let found = try database.unified.locate(id, in: snapshot, followingMoves: true) {
            return known(found, plan, result)
        }
        let wanted = plan.wanted.flatMap { match in database.collections[match.collection].map { ($0.key, match.id) } }
        let placement = Placement(database: database, scope: .unified, snapshot: snapshot)
        let place = try placement.place(id, at: wanted ?? (.default, id))
        result.place = place
        if place.flags.contains(.misplaced) { result.outcome.kind = .clash }
        result.outcome.id = place.localID ?? place.unifiedID ?? id
        result.outcome.collection = name(of: place.collection) ?? .default
        return result
    }

    private func placeInCollection(_ plan: ImportPlan, _ outcome: ImportOutcome) throws -> Result {
        let id = plan.document.id
        var result = Result(outcome: outcome)
        guard let key = database.collections[plan.document.collection]?.key, let keyspace = database.keyspace(plan.document.collection)
        else {
            throw GatewayError(
                .configuration, "The collection \(plan.document.collection) of \(id) does not exist; add it under `collections`")
        }
        guard !DocumentID.isDesign(id) else {
            throw GatewayError(.badRequest, "\(id): design documents belong to the database, not to \(plan.document.collection)")
        }
        if let found = try keyspace.locate(id, in: snapshot, followingMoves: true) {
            // A route gave this ID to another document: the two have no revision in common.
            guard plan.tree.leaves.contains(where: { isRelated($0.id, plan.tree, found.tree) }) else {
                throw GatewayError(
                    .conflict,
                    "Another document is \(id) in \(plan.document.collection) already (legacy ID \(found.unifiedID ?? "none")); change the route that places it there",
                    current: found.winner)
            }
            return known(found, plan, result)
        }
        let place = try Placement(database: database, scope: .collection(key), snapshot: snapshot).place(
            plan.subject, predicateResults: [:])
        result.place = place
        return result
    }

    private func isRelated(_ leaf: RevisionID, _ tree: RevisionTree, _ other: RevisionTree) -> Bool {
        tree.history(of: leaf).contains { other.contains($0) }
    }

    private func known(_ found: DocumentRecord, _ plan: ImportPlan, _ result: Result) -> Result {
        var result = result
        result.found = found
        result.outcome.collection = name(of: found.collection) ?? result.outcome.collection
        result.outcome.id = found.id
        if plan.tree.leaves.allSatisfy({ found.tree.contains($0.id) }) { result.outcome.kind = .known }
        return result
    }

    private func name(of key: CollectionKey) -> CollectionName? {
        database.collections[key].map { $0.collectionName }
    }
}
