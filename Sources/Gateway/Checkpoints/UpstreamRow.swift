public import Documents

/// A row of the legacy upstream's feed: upstream has these leaves of a document at this place.
public struct UpstreamRow: Sendable {
    public let id: String
    public let leaves: [RevisionID]
    public let place: UpstreamPlace

    public init(id: String, leaves: [RevisionID], place: UpstreamPlace) {
        self.id = id
        self.leaves = leaves
        self.place = place
    }
}
