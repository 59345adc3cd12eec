/// A channel of one collection: where documents come and go that those who hold it may see.
public struct ChannelPlace: Hashable, Sendable {
    public let channel: String
    public let collection: CollectionKey

    public init(_ channel: String, in collection: CollectionKey) {
        self.channel = channel
        self.collection = collection
    }
}
