/// One of the invariants does not hold.
struct Violation: Error, Hashable, CustomStringConvertible {
    enum Invariant: String, Sendable {
        /// Everybody holds the same winning revisions and attachments of what he may see.
        case convergence
        /// Every acknowledged revision is in the tree.
        case durability
        /// No revision is sent to a client that has it.
        case economy
        /// Once all have replicated, nothing is sent any more.
        case quiet
        /// No edit is written over by a client that has not seen it, and nobody resolves a conflict that is none.
        case lineage
        /// Nobody gets what he may not see.
        case privacy
        /// A revision ID names one body.
        case identity
        /// What one side refuses is on the list once, until it has got through, and holds up nothing.
        case parking
        /// The store is as a store has to be.
        case integrity
        /// Nobody says what no peer expects.
        case protocolConformance
    }

    let invariant: Invariant
    let detail: String

    var description: String { "\(invariant.rawValue): \(detail)" }
}
