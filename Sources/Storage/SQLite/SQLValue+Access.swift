extension Permission {
    /// The permission's kind in the schema.
    var kind: Int64 {
        switch self {
        case .channel: 0
        case .role: 1
        case .ownAccess: 2
        }
    }

    /// The collection in the schema: 0 where there is none.
    var collection: CollectionKey {
        switch self {
        case .channel(_, let collection), .ownAccess(let collection): collection
        case .role: CollectionKey(0)
        }
    }

    var name: String {
        switch self {
        case .channel(let name, _), .role(let name): name
        case .ownAccess: ""
        }
    }

    /// The permission of a row; `nil` if the kind is not known.
    init?(kind: Int64, collection: Int64, name: String) {
        switch kind {
        case 0: self = .channel(name, CollectionKey(collection))
        case 1: self = .role(name)
        case 2: self = .ownAccess(CollectionKey(collection))
        default: return nil
        }
    }
}

extension GrantSource {
    /// The source in the schema: a document's key, 0 for an administrator, -1 for the verifier of a login.
    var number: Int64 {
        switch self {
        case .administrator, .login: giver.rawValue
        case .document(let key): key.value
        }
    }

    /// Whom an administrator or a login gives; `nil` for a document, which gives to whom it likes.
    var grantee: Grantee? {
        switch self {
        case .administrator(let grantee), .login(let grantee): grantee
        case .document: nil
        }
    }
}

extension PrincipalKind: SQLValue {
    package func bind(to statement: OpaquePointer, at index: Int32) { rawValue.bind(to: statement, at: index) }
}
