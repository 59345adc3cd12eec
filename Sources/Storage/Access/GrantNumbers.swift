extension Permission {
    /// The permission's kind in a schema.
    package var kind: Int64 {
        switch self {
        case .channel: 0
        case .role: 1
        case .ownAccess: 2
        }
    }

    /// The collection in a schema: 0 where there is none.
    package var collection: CollectionKey {
        switch self {
        case .channel(_, let collection), .ownAccess(let collection): collection
        case .role: CollectionKey(0)
        }
    }

    package var name: String {
        switch self {
        case .channel(let name, _), .role(let name): name
        case .ownAccess: ""
        }
    }

    /// The permission of a row; `nil` for an unknown kind.
    package init?(kind: Int64, collection: Int64, name: String) {
        switch kind {
        case 0: self = .channel(name, CollectionKey(collection))
        case 1: self = .role(name)
        case 2: self = .ownAccess(CollectionKey(collection))
        default: return nil
        }
    }
}

extension GrantSource {
    /// The source in a schema: a document's key, 0 for an administrator, -1 for the verifier of a login.
    package var number: Int64 {
        switch self {
        case .administrator, .login: giver.rawValue
        case .document(let key): key.value
        }
    }

    /// The grantee of an administrator's or a login's grants; `nil` for a document, which can grant to any user or role.
    package var grantee: Grantee? {
        switch self {
        case .administrator(let grantee), .login(let grantee): grantee
        case .document: nil
        }
    }
}
