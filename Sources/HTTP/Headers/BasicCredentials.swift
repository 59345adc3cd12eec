import Foundation

/// `Authorization: Basic base64(utf8(user:password))` (RFC 7617).
package struct BasicCredentials: Sendable, Hashable {
    /// The user name, without a colon.
    package let user: String
    /// The password, which may contain colons.
    package let password: String

    /// Creates credentials to send; the user name must not contain a colon.
    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Parses a header's value.
    ///
    /// The result is `nil` if the scheme is not Basic, or if the value is not base64, not UTF-8, has no colon or has control characters. The
    /// first colon ends the user name; the password may contain more.
    package init?(authorization header: some StringProtocol) {
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
    package var authorization: String { "Basic " + Data("\(user):\(password)".utf8).base64EncodedString() }
}

extension BasicCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user name only, so that logs never contain the password.
    package var description: String { "BasicCredentials(user: \(user), password: hidden)" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}

/// Base64 (RFC 4648) as it occurs in headers.
enum LenientBase64 {
    /// Decodes base64 leniently; `nil` if the text is not base64.
    ///
    /// Digits of the URL-safe alphabet, missing padding, white space and set unused bits are accepted.
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
        // Foundation accepts any padding that is long enough.
        guard missing < 3, padding == missing || padding == 0 else { return nil }
        digits += repeatElement(ASCII.equals, count: missing - padding)
        return Data(base64Encoded: Data(digits)).map { Array($0) }
    }
}
