/// Names one of a session's collections: its place in the client's `getCollections`, or 0 where the client has asked for none.
typealias CollectionHandle = Int
