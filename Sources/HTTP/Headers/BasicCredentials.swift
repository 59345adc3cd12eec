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
        guard let decoded = TolerantBase64.decode(ASCII.trimmed(bytes[blank...])),
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
