import Gateway

/// A revision that a client has sent, on its way into the store.
struct IncomingRevision: Sendable {
    /// The number of its `rev` request, to which the reply goes.
    let number: UInt64

    var write: RevisionWrite

    /// The bytes that it holds, about.
    let size: Int
}
