/// A copy that was refused, or that found a difference.
package struct StoreCopyError: Error, Sendable {
    package enum Code: String, Hashable, Sendable {
        /// The target holds other data. Nothing was changed.
        case occupied

        /// Another copy from the source is in progress, or the store was moved to another place.
        case elsewhere

        /// The unfinished copy in the target does not go on from the source's present state.
        case unrelated

        /// A copied row differs from the source's, and the target stays unfinished.
        case different

        /// There is no complete store in the target, so there is nothing to compare.
        case incomplete
    }

    package let code: Code

    /// The failure, its place and its remedy.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension StoreCopyError: CustomStringConvertible {
    package var description: String { message }
}
