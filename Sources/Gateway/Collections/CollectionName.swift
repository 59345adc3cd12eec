/// A collection by its scope and name.
public struct CollectionName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The scope, a group of collections; `_default` for the default scope.
    public let scope: String

    /// The name in the scope; `_default` for the default collection of the default scope.
    public let name: String

    /// Creates a name without a check of its parts.
    public init(scope: String, name: String) {
        self.scope = scope
        self.name = name
    }

    /// `_default._default`.
    public static let `default` = CollectionName(scope: "_default", name: "_default")

    /// Reads `scope.name`, or `name` alone for a collection of the default scope. `nil` if a part is not allowed:
    /// 1 to 251 letters, digits, `_`, `-` or `%`, the first not `_` or `%` (but `_default` itself), as on Couchbase Server.
    public init?(_ path: String) {
        let parts = path.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        switch parts.count {
        case 1: self.init(scope: "_default", name: parts[0])
        case 2: self.init(scope: parts[0], name: parts[1])
        default: return nil
        }
        guard Self.isAllowed(scope), Self.isAllowed(name) else { return nil }
    }

    /// `scope.name`.
    public var description: String { "\(scope).\(name)" }

    /// The order of the scopes, and of the names in one scope.
    public static func < (a: CollectionName, b: CollectionName) -> Bool {
        (a.scope, a.name) < (b.scope, b.name)
    }

    private static func isAllowed(_ part: String) -> Bool {
        if part == "_default" { return true }
        guard let first = part.utf8.first, part.utf8.count <= 251, first != UInt8(ascii: "_"), first != UInt8(ascii: "%") else {
            return false
        }
        return part.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "%"):
                true
            default: false
            }
        }
    }
}
