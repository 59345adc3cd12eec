/// A document that lived in a collection under an ID and was moved out of it.
public struct DepartureRecord: Sendable {
    public let collection: CollectionKey
    public let id: String
    public let document: DocumentKey

    /// The collection's sequence at which it left.
    public let sequence: Sequence

    public init(collection: CollectionKey, id: String, document: DocumentKey, sequence: Sequence) {
        self.collection = collection
        self.id = id
        self.document = document
        self.sequence = sequence
    }
}
