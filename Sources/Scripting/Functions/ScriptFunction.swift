/// A JavaScript function of a kind, with what it takes and what it answers.
///
/// It is only text until a worker of a ``ScriptEngine`` calls it for the first time. Each gets a global environment of its own, shared
/// with no other owner, kind or source (CVE-2023-26268 is what happens otherwise).
public struct ScriptFunction<Input: Sendable, Output: Sendable>: Sendable {
    /// Who the function belongs to and what it does there: database, collection, purpose. Errors name it.
    public var owner: String { key.owner }
    /// The source: an expression that gives a function.
    public var source: String { key.source }

    let key: ScriptKey
    /// The arguments in the order of the harness's function for the kind.
    let arguments: @Sendable (Input) -> [ScriptArgument]
    /// Reads an outcome that is not a failure.
    let decode: @Sendable (inout OutcomeReader) throws(OutcomeError) -> Output
}

/// What a worker keeps a function by.
struct ScriptKey: Hashable, Sendable {
    enum Kind: String, Sendable {
        case predicate, filter, sync, resolver
    }

    let kind: Kind
    let owner: String
    let source: String
}

/// One argument of a call.
enum ScriptArgument: Sendable {
    /// JSON text in UTF-8; nil is null.
    case json([UInt8]?)
    case text(String)
}
