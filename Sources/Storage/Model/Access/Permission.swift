/// What somebody can be given.
public enum Permission: Hashable, Sendable {
    /// To see the documents of a channel. Given for the default collection, whoever reads the grants says where else it holds.
    case channel(String, CollectionKey)

    /// To have a role. A role has itself from its creation on, so that the time in which it was there is known like that of any grant.
    case role(String)

    /// That an administrator has said what holds in the collection, which may be nothing.
    case ownAccess(CollectionKey)
}
