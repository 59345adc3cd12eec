import Foundation

/// `Authorization: Basic base64(utf8(user:password))` (RFC 7617).
public struct BasicCredentials: Sendable, Hashable {
    /// Has no colon.
    public let user: String
    /// May contain colons.
    public let password: String

    /// Credentials to send; the user's name must have no colon.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Reads a header's value. `nil` if it is of another scheme, not base64, not UTF-8, or has no colon or has control
    /// characters. The first colon ends the user's name; the password may contain more.
    public init?(authorization header: some StringProtocol) {
        let bytes = ASCII.trimmed(Array(header.utf8)[...])
        guard let blank = bytes.firstIndex(where: ASCII.isBlank), ASCII.lowercasedText(bytes[..<blank]) == "basic" else { return nil }
        guard let decoded = LenientBase64.decode(ASCII.trimmed(bytes[blank...])),
            !decoded.contains(where: ASCII.isControl),
            let colon = decoded.firstIndex(of: ASCII.colon),
            let user = String(validating: decoded[..<colon], as: UTF8.self),
            let password = String(validating: decoded[(colon + 1)...], as: UTF8.self)
        else { return nil }
        self.init(user: user, password: password)
    }

    /// The header's value.
    public var authorization: String { "Basic " + Data("\(user):\(password)".utf8).base64EncodedString() }
}

extension BasicCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the user and never the password, so that no log can show it.
    public var description: String { "BasicCredentials(user: \(user), password: hidden)" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}

/// Base64 (RFC 4648) as headers bring it.
enum LenientBase64 {
    /// The bytes that a text stands for; `nil` if it is not base64.
    ///
    /// Digits of the URL-safe alphabet, missing padding, white space and unused bits that are set pass as well.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var digits: [UInt8] = []
        digits.reserveCapacity(text.count + 2)
        for byte in text {
            switch byte {
            case ASCII.space, ASCII.tab, ASCII.carriageReturn, ASCII.lineFeed: continue
            case ASCII.hyphen: digits.append(UInt8(ascii: "+"))
            case ASCII.underscore: digits.append(UInt8(ascii: "/"))
            default: digits.append(byte)
            }
        }
        let padding = digits.reversed().prefix { $0 == ASCII.equals }.count
        let missing = -(digits.count - padding) & 3
        // Foundation takes any padding that is long enough.
        guard missing < 3, padding == missing || padding == 0 else { return nil }
        digits += repeatElement(ASCII.equals, count: missing - padding)
        return Data(base64Encoded: Data(digits)).map { Array($0) }
    }
}
