/// A user's name as it comes from outside: one that Sync Gateway would take, too (docs/protocol/legacy-1x.md#user-names).
public struct LoginName: Hashable, Sendable, CustomStringConvertible {
    /// Names are parts of keys and URLs.
    static let maximumLength = 250

    public let text: String

    /// `nil` if the text is empty, too long, or has characters other than letters, digits and `_-+.@%`.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
    }

    public var description: String { text }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "@"), UInt8(ascii: "%"): true
        default: false
        }
    }
}
