import Documents
import Storage

/// The preparation of a document before its transaction: its validation, its revision tree, and the routes' result.
struct ImportPlan: Sendable {
    let document: ImportedDocument
    let tree: RevisionTree
    let winner: RevisionID

    /// The index of the winner in `document.revisions`.
    let winnerIndex: Int
    let isDeleted: Bool

    /// The body for the routes. A tombstone has no properties to match, so the newest live ancestor's body is used if it is stored.
    let routingBody: [UInt8]

    /// The `channels` property of each revision's body.
    let channels: [Set<String>]

    /// The target of the first matching route.
    var wanted: RouteMatch?

    /// The result of the sync function for the winner; `nil` where the default function decides.
    var syncResult: ResyncResult?

    init(_ document: ImportedDocument, limits: DatabaseLimits) throws {
        try DocumentID.validate(document.id)
        var tree = RevisionTree()
        var places: [RevisionID: Int] = [:]
        var channels: [Set<String>] = []
        for (index, revision) in document.revisions.enumerated() {
            guard case .replicated(let history, _) = revision.kind, let id = history.first else {
                throw GatewayError(.badRequest, "A revision of \(document.id) has no history")
            }
            channels.append(try Self.check(revision, id, limits: limits))
            try tree.merge(history, isDeleted: revision.isDeleted)
            places[id] = index
        }
        guard let winner = tree.winner else { throw GatewayError(.badRequest, "\(document.id) has no revision") }
        for leaf in tree.leaves where places[leaf.id] == nil {
            throw GatewayError(.badRequest, "The body of \(document.id), revision \(leaf.id), a leaf, is missing")
        }
        guard let index = places[winner.id] else { throw GatewayError(.badRequest, "\(document.id) has no body") }
        self.document = document
        self.channels = channels
        self.tree = tree
        self.winner = winner.id
        winnerIndex = index
        isDeleted = winner.isDeleted
        routingBody = Self.routingBody(of: document, tree, winner, places)
    }

    var isConflicted: Bool { tree.isConflicted }
    var winning: RevisionWrite { document.revisions[winnerIndex] }

    /// The input of routes and predicates.
    var subject: RevisionWrite {
        RevisionWrite(id: document.id, kind: .edit(parent: nil), isDeleted: false, body: routingBody)
    }

    private static func routingBody(
        of document: ImportedDocument, _ tree: RevisionTree, _ winner: RevisionTree.Node, _ places: [RevisionID: Int]
    ) -> [UInt8] {
        let own = places[winner.id].map { document.revisions[$0].body } ?? DocumentBody.empty
        guard winner.isDeleted else { return own }
        for id in tree.history(of: winner.id).dropFirst() {
            if let index = places[id], !document.revisions[index].isDeleted { return document.revisions[index].body }
        }
        return own
    }

    /// Checks JSON, UTF-8 and size: bodies of other servers are not validated yet.
    ///
    /// - Returns: the channels of its `channels` property.
    private static func check(_ revision: RevisionWrite, _ id: RevisionID, limits: DatabaseLimits) throws -> Set<String> {
        guard revision.body.count <= limits.documentSize else {
            throw GatewayError(
                .tooLarge,
                "The body of \(revision.id), revision \(id), has \(revision.body.count) bytes; the limit is \(limits.documentSize)")
        }
        do {
            return try JSONReader.read(revision.body) { reader in
                guard reader.kind == .object else {
                    throw GatewayError(.badRequest, "The body of \(revision.id), revision \(id), is not a JSON object")
                }
                return try Channels.ofProperty(reading: &reader)
            }
        } catch let error as JSONError {
            throw GatewayError(.badRequest, "The body of \(revision.id), revision \(id), is not JSON: \(error)", cause: error)
        }
    }
}

/// Prepared documents, and the errors of those that are refused by then.
package struct PlannedImport: Sendable {
    var plans: [Result<ImportPlan, GatewayError>]

    init(plans: [Result<ImportPlan, GatewayError>]) {
        self.plans = plans
    }

    /// An empty batch.
    package init() {
        plans = []
    }
}
