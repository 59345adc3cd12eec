import Documents

/// A checkpoint as the server keeps it.
struct KeptCheckpoint: Sendable, Hashable {
    /// What the next save has to name.
    let revision: String?

    /// What it says; nothing if it cannot be read, as if there were none.
    let checkpoint: ReplicationCheckpoint

    /// - Parameter revision: Where it does not stand in the body: LiteCore's listeners call it `rev` there, Sync Gateway `_rev`
    ///   (docs/protocol/modern-2x.md#checkpoint-messages).
    init(_ body: [UInt8], revision: String?) {
        checkpoint = (try? ReplicationCheckpoint(body)) ?? ReplicationCheckpoint()
        let value = try? JSONValue(body)
        self.revision = revision ?? value?["rev"]?.string ?? value?["_rev"]?.string
    }
}
