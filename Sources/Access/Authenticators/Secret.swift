/// A token, password or key. No description of it, and of nothing that contains it, shows it.
public struct Secret: Hashable, Sendable {
    /// The text itself. It goes to whoever has to check it, and nowhere else.
    public let revealed: String

    public init(_ text: String) {
        revealed = text
    }

    public var isEmpty: Bool { revealed.isEmpty }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "hidden" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// What every token has to be before anybody is asked about it.
enum TokenText {
    /// The longest token that is looked at, in bytes.
    static let maximumLength = 16 * 1024

    /// Whether it is printable ASCII without blanks, so that it can stand in a header, and of a sensible length.
    static func isPlausible(_ token: Secret) -> Bool {
        let text = token.revealed.utf8
        return !text.isEmpty && text.count <= maximumLength && text.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }
}

/// Comparison of secrets.
enum ConstantTime {
    /// Whether the bytes are the same. How long it takes depends on their number alone.
    static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        var difference: UInt8 = 0
        for index in a.indices { difference |= a[index] ^ b[index] }
        return difference == 0
    }
}
