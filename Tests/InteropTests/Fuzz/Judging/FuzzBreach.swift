/// What a bridge has done that no request may bring about.
struct FuzzBreach: Sendable, CustomStringConvertible {
    /// The conversation or file in which it was seen, as `make fuzz` takes it.
    let origin: String
    let what: String

    /// What was sent, and what was answered.
    var exchange = ""

    var description: String {
        "\(what)\n\(exchange)\nPlay it again alone: make fuzz SEED=\(FuzzSettings.seed) \(origin)"
    }

    /// Bytes in a form that can be read, and made bytes of again: `printf '…'`.
    static func printable(_ bytes: [UInt8], limit: Int = 3_000) -> String {
        var text = ""
        for byte in bytes.prefix(limit) {
            switch byte {
            case 0x0d: text += "\\r"
            case 0x0a: text += "\\n\n"
            case 0x5c: text += "\\\\"
            case 0x20..<0x7f: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "\\x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
            }
        }
        return bytes.count > limit ? "\(text)… (\(bytes.count) bytes)" : text
    }
}
