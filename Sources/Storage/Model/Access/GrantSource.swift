/// Who gives something: what one source gives is always set as a whole.
public enum GrantSource: Hashable, Sendable {
    /// The administrator's record of one user or role.
    case administrator(Grantee)

    /// What a verifier of logins (a token, the old server) said of one user when it last let him in.
    case login(Grantee)

    /// A document, by its sync function.
    case document(DocumentKey)
}

extension GrantSource {
    /// The kinds of source. What one document takes away and another still gives was never lost; an administrator's grants and a
    /// document's are told apart, because they do not hold in the same collections.
    public enum Giver: Int64, Hashable, Sendable {
        case login = -1
        case administrator = 0
        case document = 1
    }

    public var giver: Giver {
        switch self {
        case .administrator: .administrator
        case .login: .login
        case .document: .document
        }
    }
}
