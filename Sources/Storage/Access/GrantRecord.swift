/// A permission of one grantee, with its kind of source and the span in which it holds.
package struct GrantRecord: Hashable, Sendable {
    package let permission: Permission
    package let giver: GrantSource.Giver

    /// The sequence of the change that granted it.
    package let granted: SequenceNumber

    /// The sequence of the change that revoked it; `nil` while it holds.
    package let lost: SequenceNumber?

    package init(permission: Permission, giver: GrantSource.Giver, granted: SequenceNumber, lost: SequenceNumber? = nil) {
        self.permission = permission
        self.giver = giver
        self.granted = granted
        self.lost = lost
    }
}

/// A permission for one user or role.
package struct Grant: Hashable, Sendable {
    package let grantee: Grantee
    package let permission: Permission

    package init(to grantee: Grantee, _ permission: Permission) {
        self.grantee = grantee
        self.permission = permission
    }
}

/// A permission that a user or role can have.
package enum Permission: Hashable, Sendable {
    /// Read access to the documents of a channel. A grant for the default collection can hold in other collections as well; the reader of the
    /// grants decides that.
    case channel(String, CollectionKey)

    /// Membership of a role. A role is granted to itself at its creation, so that its lifetime is recorded like the span of any grant.
    case role(String)

    /// The administrator has set explicit access for this collection, possibly none.
    case ownAccess(CollectionKey)
}

/// The source of grants. All grants of one source are replaced together.
package enum GrantSource: Hashable, Sendable {
    /// The administrator's record of one user or role.
    case administrator(Grantee)

    /// The login verifier (a token, the legacy server), with the access of one user at his last login.
    case login(Grantee)

    /// A document, by its sync function.
    case document(DocumentKey)
}

extension GrantSource {
    /// The kinds of source.
    ///
    /// - A grant that one document revokes and another document still makes is not lost.
    /// - Grants of an administrator and grants of documents are separate, because they do not hold in the same collections.
    package enum Giver: Int64, Hashable, Sendable {
        case login = -1
        case administrator = 0
        case document = 1
    }

    package var giver: Giver {
        switch self {
        case .administrator: .administrator
        case .login: .login
        case .document: .document
        }
    }
}
