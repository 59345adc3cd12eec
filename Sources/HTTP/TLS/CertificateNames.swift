/// Looks into a certificate, X.509 in DER (RFC 5280 4.1), as far as the names of its issuer and its subject.
enum CertificateNames {
    /// Whether issuer and subject are the same. The key's possession is proved by the TLS handshake, so the signature need not be looked at.
    static func isSelfIssued(_ der: [UInt8]) -> Bool {
        var outer = der[...]
        guard var certificate = element(0x30, of: &outer), var body = element(0x30, of: &certificate) else { return false }
        // An optional version, then the serial number and the signature's algorithm.
        if body.first == 0xA0 { _ = element(0xA0, of: &body) }
        guard element(0x02, of: &body) != nil, element(0x30, of: &body) != nil, let issuer = element(0x30, of: &body),
            element(0x30, of: &body) != nil, let subject = element(0x30, of: &body)
        else { return false }
        return !issuer.isEmpty && issuer == subject
    }

    /// Takes the next element off `bytes` and gives its content; nil when it has another tag or is cut off.
    private static func element(_ tag: UInt8, of bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard (1...4).contains(count), bytes.count >= count else { return nil }
            length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(count)
        }
        guard bytes.count >= length else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length)
    }
}
