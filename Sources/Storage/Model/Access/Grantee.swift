/// A user or a role by its name, whether it is there yet or not.
public struct Grantee: Hashable, Sendable {
    public let kind: PrincipalKind
    public let name: String

    public init(_ kind: PrincipalKind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    public static func user(_ name: String) -> Grantee { Grantee(.user, name) }

    public static func role(_ name: String) -> Grantee { Grantee(.role, name) }
}

extension Grantee: CustomStringConvertible {
    public var description: String { "\(kind) \"\(name)\"" }
}
