/// A token, password or key. Neither its description nor that of any value that contains it shows the text.
package struct Secret: Hashable, Sendable {
    /// The text itself, for use in checks only.
    package let revealed: String

    package init(_ text: String) {
        revealed = text
    }

    package var isEmpty: Bool { revealed.isEmpty }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "hidden" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// The syntax of tokens, checked before any request to an authenticator.
enum TokenText {
    /// The maximum length of a token, in bytes.
    static let maximumLength = 16 * 1024

    /// Whether the token is printable ASCII without blanks, which can be sent in a header, and not too long.
    static func isPlausible(_ token: Secret) -> Bool {
        let text = token.revealed.utf8
        return !text.isEmpty && text.count <= maximumLength && text.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }
}

/// Comparison of secrets.
enum ConstantTime {
    /// Whether the bytes are equal. The duration depends only on their number.
    static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        var difference: UInt8 = 0
        for index in a.indices { difference |= a[index] ^ b[index] }
        return difference == 0
    }
}
