/// A JavaScript function of a configuration.
public struct ScriptFunction: Hashable, Sendable {
    /// What the function is for, which decides what it may use and what it returns.
    public enum Kind: Hashable, Sendable {
        /// `function (doc) { … }`: whether a document is meant.
        case predicate

        /// `function (doc, oldDoc, meta) { … }`: a collection's sync function.
        case sync
    }

    public let kind: Kind

    /// One function expression.
    public let source: String

    public init(kind: Kind, source: String) {
        self.kind = kind
        self.source = source
    }
}
