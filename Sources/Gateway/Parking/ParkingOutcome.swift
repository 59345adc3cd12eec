package import Documents
package import Storage

/// The result of replicating one revision, for the list of parked revisions.
package struct ParkingOutcome: Sendable, Hashable {
    /// Why a revision was refused. The same revision will be refused again, however often it is sent.
    package struct Refusal: Sendable, Hashable {
        package let domain: String
        package let code: Int
        package let reason: String

        package init(domain: String, code: Int, reason: String) {
            self.domain = domain
            self.code = code
            self.reason = reason
        }
    }

    package let direction: ParkedDirection
    package let id: String

    /// The revision's ID on the other side.
    package let revision: String

    /// `nil` if the revision was accepted.
    package let refusal: Refusal?

    /// The known ancestors of the revision.
    package var ancestors: [RevisionID] = []

    /// Whether the other side has a single branch per document, so that a revision supersedes all earlier parked ones.
    package var isOnly = false

    package init(_ direction: ParkedDirection, id: String, revision: String, refusal: Refusal? = nil) {
        self.direction = direction
        self.id = id
        self.revision = revision
        self.refusal = refusal
    }
}
