/// A fault of a bridge that no request may cause.
struct FuzzBreach: Sendable, CustomStringConvertible {
    /// The conversation or file of the fault, as `make fuzz` accepts it.
    let origin: String
    let what: String

    /// The sent bytes, and the reply.
    var exchange = ""

    var description: String {
        "\(what)\n\(exchange)\nPlay it again alone: make fuzz SEED=\(FuzzSettings.seed) \(origin)"
    }

    /// Bytes in a readable form that can be turned back into bytes: `printf '…'`.
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
