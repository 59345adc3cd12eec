public import Documents
public import Storage

/// What became of one revision on its way, as far as the list of parked revisions is concerned.
public struct ParkingOutcome: Sendable, Hashable {
    /// Why a revision was not taken, and will not be taken however often it is sent as it is.
    public struct Refusal: Sendable, Hashable {
        public let domain: String
        public let code: Int
        public let reason: String

        public init(domain: String, code: Int, reason: String) {
            self.domain = domain
            self.code = code
            self.reason = reason
        }
    }

    public let direction: ParkedDirection
    public let id: String

    /// As the other side names it.
    public let revision: String

    /// `nil` if it has got to where it was to go.
    public let refusal: Refusal?

    /// The revisions that it builds on, as far as they are known.
    public var ancestors: [RevisionID] = []

    /// Whether the other side knows one revision of a document only, so that whatever was parked of it before is overtaken.
    public var isOnly = false

    public init(_ direction: ParkedDirection, id: String, revision: String, refusal: Refusal? = nil) {
        self.direction = direction
        self.id = id
        self.revision = revision
        self.refusal = refusal
    }
}
