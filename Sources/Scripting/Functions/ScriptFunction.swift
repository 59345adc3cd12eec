/// A JavaScript function of a kind, with its input and output types.
///
/// A worker of a ``ScriptEngine`` compiles it on its first call. Each function has its own global environment, which it shares with no other
/// owner, kind or source (CVE-2023-26268 is the consequence of sharing).
package struct ScriptFunction<Input: Sendable, Output: Sendable>: Sendable {
    /// The owner and purpose of the function: database, collection, purpose. Errors contain it.
    package var owner: String { key.owner }
    /// The source: a script whose value is a function, such as `function (doc) { … }`. A semicolon, comments or other functions may follow, and
    /// the source may be enclosed in backquotes.
    package var source: String { key.source }

    let key: ScriptKey
    /// The arguments in the order of the harness's function for the kind.
    let arguments: @Sendable (Input) -> [ScriptArgument]
    /// Decodes an outcome that is not a failure.
    let decode: @Sendable (inout OutcomeReader) throws(OutcomeError) -> Output
}

/// Key of a compiled function in a worker.
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
    /// A route's condition or an import filter: `function (doc) { return doc.price !== undefined }`. The result is converted to a Boolean by
    /// JavaScript's rules (`undefined`, `0` and `""` are false); a promise is a bad result. The input is the document's JSON.
    package static func predicate(_ source: String, owner: String) -> ScriptFunction {
        ScriptFunction(
            key: ScriptKey(kind: .predicate, owner: owner, source: source),
            arguments: { [.json($0)] },
            decode: { reader throws(OutcomeError) in try reader.truth() })
    }
}

extension ScriptFunction where Input == FilterInput, Output == Bool {
    /// A replication filter: `function (doc, req) { return doc.owner == req.query.owner }`. The result is converted as in
    /// ``predicate(_:owner:)``. CouchDB's `isArray`, `toJSON` and `sum` are available.
    package static func filter(_ source: String, owner: String) -> ScriptFunction {
        ScriptFunction(
            key: ScriptKey(kind: .filter, owner: owner, source: source),
            arguments: { [.json($0.document), .json($0.request)] },
            decode: { reader throws(OutcomeError) in try reader.truth() })
    }
}

/// The input of a replication filter.
package struct FilterInput: Hashable, Sendable {
    /// The document's JSON.
    package let document: [UInt8]
    /// The request's JSON: `{"query": {parameters}, "userCtx": {"name": …, "roles": [names]}}`; `userCtx` only if there is a user. It must not
    /// contain headers, cookies or addresses (CVE-2023-45725).
    package let request: [UInt8]

    /// Creates an input from a document and the request for it, both as JSON.
    package init(document: [UInt8], request: [UInt8]) {
        self.document = document
        self.request = request
    }
}
