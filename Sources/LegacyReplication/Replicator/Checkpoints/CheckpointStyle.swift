/// Which of the Couchbase Lite 1.4 clients computes a checkpoint's ID so.
public enum CheckpointStyle: String, Sendable, Hashable, CaseIterable {
    /// iOS and macOS: `continuous` enters where it is false only, document IDs in their order.
    case iOS
    /// Java and Android: `continuous` always enters, document IDs sorted.
    case java
    /// .NET: as Java, but a remote UUID stands where the URL would.
    case dotNet
}
