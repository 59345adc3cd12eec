/// The kinds of documents that stay local; their names do not mix.
public enum LocalDocumentKind: Int64, Sendable {
    /// `_local/` documents, which 1.x clients keep their checkpoints in.
    case local = 0

    /// Checkpoints of 2.x+ clients, by the `client` property.
    case checkpoint = 1

    /// What replicators of ours keep here to know how far they have come.
    case replicator = 2

    /// The documents whose edits a 2.x+ client was refused and whose revisions its feed will not bring, by its checkpoint's name.
    case contested = 3
}
