/// What a conflict resolver decided.
public enum ConflictResolution: Hashable, Sendable {
    /// The local revision as it is: keep its bytes, for JavaScript's numbers are not exact (`1e400`, 20-digit integers).
    case local
    /// The remote revision as it is: keep its bytes.
    case remote
    /// A document of the function's making, as JSON; its numbers are what JavaScript made of them.
    case merged([UInt8])
    /// The document is to be deleted.
    case delete
}
