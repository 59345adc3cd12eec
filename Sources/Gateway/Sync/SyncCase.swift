import Scripting
import Storage

/// What a sync function is asked about one write.
struct SyncCase: Sendable {
    /// Where the document lives, or is going to.
    let collection: CollectionKey
    let base: Sequence?

    /// `nil` where the collection has the default function.
    let revision: SyncFunctionInput?

    /// The branch that would win by the write.
    let winner: SyncFunctionInput?

    /// What the function of the collection is asked in which the routes want the document.
    let wanted: Wanted?

    struct Wanted: Sendable {
        let collection: CollectionKey
        let input: SyncFunctionInput
    }
}
