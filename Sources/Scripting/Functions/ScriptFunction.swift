/// A JavaScript function of a kind, with what it takes and what it answers.
///
/// It is only text until a worker of a ``ScriptEngine`` calls it for the first time. Each gets a global environment of its own, shared
/// with no other owner, kind or source (CVE-2023-26268 is what happens otherwise).
public struct ScriptFunction<Input: Sendable, Output: Sendable>: Sendable {
    /// Who the function belongs to and what it does there: database, collection, purpose. Errors name it.
    public var owner: String { key.owner }
    /// The source: a script whose value is a function, such as `function (doc) { … }`. A semicolon, comments or other functions may
    /// follow it, and backquotes may stand around it.
    public var source: String { key.source }

    let key: ScriptKey
    /// The arguments in the order of the harness's function for the kind.
    let arguments: @Sendable (Input) -> [ScriptArgument]
    /// Reads an outcome that is not a failure.
    let decode: @Sendable (inout OutcomeReader) throws(OutcomeError) -> Output
}
