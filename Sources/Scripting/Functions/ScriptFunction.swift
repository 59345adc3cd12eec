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
    /// Becomes `[name, [roles], [channels]]`; nil is null.
    case user(SyncFunctionUser?)
}

extension ScriptFunction where Input == [UInt8], Output == Bool {
    /// A route's condition or an import filter: `function (doc) { return doc.price !== undefined }`. What it returns counts as
    /// JavaScript counts it (`undefined`, `0` and `""` are false); a promise is a bad result. The input is the document's JSON.
    public static func predicate(_ source: String, owner: String) -> ScriptFunction {
        ScriptFunction(
            key: ScriptKey(kind: .predicate, owner: owner, source: source),
            arguments: { [.json($0)] },
            decode: { reader throws(OutcomeError) in try reader.truth() })
    }
}

extension ScriptFunction where Input == FilterInput, Output == Bool {
    /// A replication filter: `function (doc, req) { return doc.owner == req.query.owner }`. What it returns counts as in
    /// ``predicate(_:owner:)``. CouchDB's `isArray`, `toJSON` and `sum` are there.
    public static func filter(_ source: String, owner: String) -> ScriptFunction {
        ScriptFunction(
            key: ScriptKey(kind: .filter, owner: owner, source: source),
            arguments: { [.json($0.document), .json($0.request)] },
            decode: { reader throws(OutcomeError) in try reader.truth() })
    }
}

/// What a replication filter looks at.
public struct FilterInput: Hashable, Sendable {
    /// The document's JSON.
    public let document: [UInt8]
    /// The request's JSON: `{"query": {parameters}, "userCtx": {"name": …, "roles": [names]}}`, the latter where there is a user.
    /// Headers, cookies and addresses never belong in it (CVE-2023-45725).
    public let request: [UInt8]

    /// A document and the request that asks for it, both as JSON.
    public init(document: [UInt8], request: [UInt8]) {
        self.document = document
        self.request = request
    }
}
