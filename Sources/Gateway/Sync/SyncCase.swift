import Scripting
import Storage

/// What a sync function is asked about one write.
struct SyncCase: Sendable {
    let collection: CollectionKey
    let base: Sequence?
    let revision: SyncFunctionInput

    /// The branch that would win by the write.
    let winner: SyncFunctionInput?
}
