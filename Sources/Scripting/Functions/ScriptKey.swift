/// What a worker keeps a function by.
struct ScriptKey: Hashable, Sendable {
    enum Kind: String, Sendable {
        case predicate, filter, sync, resolver
    }

    let kind: Kind
    let owner: String
    let source: String
}
