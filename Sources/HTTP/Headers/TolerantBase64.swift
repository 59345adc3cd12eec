import Foundation

/// Base64 (RFC 4648) as headers bring it.
enum TolerantBase64 {
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
