/// A permission of one grantee: by whom, and from when to when.
public struct GrantRecord: Hashable, Sendable {
    public let permission: Permission
    public let giver: GrantSource.Giver

    /// With which change it was given.
    public let granted: SequenceNumber

    /// With which change it was taken away; `nil` while it holds.
    public let lost: SequenceNumber?

    public init(permission: Permission, giver: GrantSource.Giver, granted: SequenceNumber, lost: SequenceNumber? = nil) {
        self.permission = permission
        self.giver = giver
        self.granted = granted
        self.lost = lost
    }
}

/// Something that is given to somebody.
public struct Grant: Hashable, Sendable {
    public let grantee: Grantee
    public let permission: Permission

    public init(to grantee: Grantee, _ permission: Permission) {
        self.grantee = grantee
        self.permission = permission
    }
}

/// What somebody can be given.
public enum Permission: Hashable, Sendable {
    /// To see the documents of a channel. Given for the default collection, whoever reads the grants says where else it holds.
    case channel(String, CollectionKey)

    /// To have a role. A role has itself from its creation on, so that the time in which it was there is known like that of any grant.
    case role(String)

    /// That an administrator has said what holds in the collection, which may be nothing.
    case ownAccess(CollectionKey)
}

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
