/// One document's move in a run, with what is needed to undo it.
public struct MoveRecord: Sendable {
    public let document: DocumentKey
    public let fromCollection: CollectionKey
    public let fromUnifiedID: String?
    public let fromLocalID: String?

    public init(document: DocumentKey, fromCollection: CollectionKey, fromUnifiedID: String?, fromLocalID: String?) {
        self.document = document
        self.fromCollection = fromCollection
        self.fromUnifiedID = fromUnifiedID
        self.fromLocalID = fromLocalID
    }
}
