/// A violation of an invariant.
struct Violation: Error, Hashable, CustomStringConvertible {
    enum Invariant: String, Sendable {
        /// All clients and servers have the same winners and attachments, as far as they may see them.
        case convergence
        /// Every acknowledged revision is in the tree.
        case durability
        /// No revision is sent to a client that has it.
        case economy
        /// After all have replicated, nothing is sent.
        case quiet
        /// No edit is overwritten by a client that has not seen it, and no client resolves a conflict without two edits.
        case lineage
        /// No client gets a document without access to it.
        case privacy
        /// A revision ID names one body.
        case identity
        /// A refused revision is on the list once, until it succeeds, and does not delay others.
        case parking
        /// Work that must run once is done by one bridge at a time.
        case fencing
        /// The store is intact.
        case integrity
        /// No side sends a message that real peers cannot handle.
        case protocolConformance
    }

    let invariant: Invariant
    let detail: String

    var description: String { "\(invariant.rawValue): \(detail)" }
}
