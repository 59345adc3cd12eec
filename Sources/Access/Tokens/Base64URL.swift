import Documents

/// Base64 in the alphabet for URLs, without padding (RFC 7515, 2).
enum Base64URL {
    /// The bytes of a text; `nil` if it is anything but that.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var standard: [UInt8] = []
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: standard.append(byte)
            }
        }
        while standard.count & 3 != 0 { standard.append(UInt8(ascii: "=")) }
        return try? Base64.decode(standard)
    }

    /// The text of some bytes.
    static func encode(_ bytes: some Collection<UInt8>) -> String {
        let text = Base64.encode(bytes).utf8.prefix { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
