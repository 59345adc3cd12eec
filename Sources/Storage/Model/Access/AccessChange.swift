/// Whose access was changed: what users and roles are, and what they were given.
public enum AccessChange: Hashable, Sendable {
    /// That of these users and roles.
    case of(Set<Grantee>)

    /// That of everybody, or it is not known whose.
    case everyone

    /// More are not named.
    private static let named = 1_000

    public static let none = AccessChange.of([])

    public var isEmpty: Bool { self == .none }

    /// Whether it is about one of these; by `nil` about anybody.
    public func concerns(_ grantees: Set<Grantee>?) -> Bool {
        switch self {
        case .everyone: grantees?.isEmpty != true
        case .of(let changed): grantees.map { !changed.isDisjoint(with: $0) } ?? !changed.isEmpty
        }
    }

    mutating func insert(_ grantee: Grantee) {
        guard case .of(var changed) = self else { return }
        self = .none
        changed.insert(grantee)
        self = changed.count > Self.named ? .everyone : .of(changed)
    }
}
