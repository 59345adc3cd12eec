/// Percent-encoding of URLs (RFC 3986, 2.1). Foundation's parser is not used because it refuses targets that real clients send.
package enum PercentEncoding {
    /// A document ID, database name or attachment name as one path segment, encoded as Couchbase Lite for iOS does: everything except
    /// letters, digits and `-._~`. The segments `.` and `..` are encoded too, so that no intermediary resolves them.
    package static func encodePathSegment(_ text: String) -> String {
        text == "." || text == ".." ? text.utf8.map { _ in "%2E" }.joined() : encode(text)
    }

    /// A document ID in a path. The slash of `_design/` and `_local/` is not encoded, as in CouchDB and Java.
    package static func encodeDocumentID(_ id: String) -> String {
        for prefix in ["_design/", "_local/"] where id.utf8.starts(with: prefix.utf8) {
            return prefix + encodePathSegment(String(decoding: id.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
        }
        return encodePathSegment(id)
    }

    /// A query's name or value. Space is `%20` and plus is `%2B`: all servers read these in the same way.
    package static func encodeQueryComponent(_ text: String) -> String {
        encode(text)
    }

    /// Decodes percent-encoded bytes.
    ///
    /// - Parameter plusIsSpace: True in queries, in which Java sends `+` for space; false in paths.
    /// - Throws: `invalidEscape`, `invalidUTF8`, or `forbiddenCharacter` for an encoded NUL.
    static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) throws(RequestTargetError) -> String {
        guard bytes.contains(where: { $0 == ASCII.percent || (plusIsSpace && $0 == ASCII.plus) }) else { return try text(bytes) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            if byte == ASCII.percent {
                guard index + 2 <= bytes.endIndex, let high = ASCII.hexValue(bytes[index]), let low = ASCII.hexValue(bytes[index + 1])
                else {
                    throw RequestTargetError(
                        .invalidEscape, "The URL has a % that two hexadecimal digits don't follow: encode a plain % as %25.")
                }
                index += 2
                decoded.append(high << 4 | low)
            } else {
                decoded.append(plusIsSpace && byte == ASCII.plus ? ASCII.space : byte)
            }
        }
        if decoded.contains(0) { throw RequestTargetError(.forbiddenCharacter, "The URL has an encoded NUL (%00), which is refused.") }
        return try text(decoded[...])
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(RequestTargetError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RequestTargetError(.invalidUTF8, "The URL, percent-decoded, is not UTF-8: encode text as UTF-8 first.")
        }
        return text
    }

    private static func encode(_ text: String) -> String {
        guard !text.utf8.allSatisfy(isUnreserved) else { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 2)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(ASCII.percent)
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == ASCII.hyphen || byte == ASCII.dot || byte == ASCII.underscore
            || byte == ASCII.tilde
    }
}
