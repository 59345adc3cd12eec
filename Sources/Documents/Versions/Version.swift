/// One version of a document: its time and its source. Written `time@source`, the time in lower-case hex.
package struct Version: Hashable, Sendable {
    /// A timestamp, nominally nanoseconds since 1970. It comes from the source's own clock, which never repeats or decreases for a document.
    package let time: UInt64
    package let source: SourceID

    /// The maximum length of the text: 16 digits, `@`, and the source.
    static let maximumLength = 17 + SourceID.textLength

    package init(time: UInt64, source: SourceID) {
        self.time = time
        self.source = source
    }

    /// - Returns: `nil` for a malformed version. A time of zero is invalid.
    package init?(_ text: some StringProtocol) {
        self.init(utf8: text.utf8)
    }

    init?(utf8 text: some Collection<UInt8>) {
        guard text.count <= Self.maximumLength, let at = text.firstIndex(of: 0x40), let time = Self.time(text[..<at]), time > 0,
            let source = SourceID(utf8: text[text.index(after: at)...])
        else { return nil }
        self.init(time: time, source: source)
    }

    /// The version that LiteCore uses for a revision of a tree: its time is the generation and the first 40 bits of the digest.
    ///
    /// - Returns: `nil` for an ID that LiteCore cannot store.
    package init?(standingFor revision: RevisionID) {
        guard revision.isNative, revision.generation < 1 << 24 else { return nil }
        let digits = revision.text.utf8.drop { $0 != 0x2d }.dropFirst().prefix(10)
        guard digits.count == 10, let digest = Self.time(digits) else { return nil }
        self.init(time: UInt64(revision.generation) << 40 | digest, source: .revisionTrees)
    }

    private static func time(_ digits: some Collection<UInt8>) -> UInt64? {
        guard 1...16 ~= digits.count else { return nil }
        var time: UInt64 = 0
        for digit in digits {
            switch digit {
            case 0x30...0x39: time = time << 4 | UInt64(digit - 0x30)
            case 0x61...0x66: time = time << 4 | UInt64(digit - 0x57)
            default: return nil
            }
        }
        return time
    }

    func append(to text: inout [UInt8]) {
        text.append(contentsOf: String(time, radix: 16).utf8)
        text.append(0x40)
        source.append(to: &text)
    }
}

extension Version: CustomStringConvertible {
    package var description: String {
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

/// The author of versions: a database, identified by 16 bytes that never change.
///
/// Its text is base64 without the padding, 22 characters (LiteCore, SourceID.hh). The source ID of a Couchbase Lite 4.x database is the UUID
/// that it sends with `getCollections`.
package struct SourceID: Hashable, Sendable {
    /// The length in bytes.
    package static let size = 16

    /// The length of the text in characters.
    static let textLength = 22

    private let high: UInt64
    private let low: UInt64

    /// The source of versions that represent revision tree IDs: LiteCore's `Revision+Tree+Encoding`.
    package static let revisionTrees = SourceID(high: 0x45eb_e2b2_2a27_f93a, low: 0xde7b_e127_7287_629e)

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameter bytes: The 16 bytes; the result is `nil` for any other number.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// - Parameter text: 22 characters of base64; the result is `nil` for anything else.
    package init?(utf8 text: some Collection<UInt8>) {
        guard text.count == Self.textLength, let bytes = try? Base64.decode(Array(text) + [0x3d, 0x3d]) else { return nil }
        self.init(bytes)
    }

    func append(to text: inout [UInt8]) {
        var bytes: [UInt8] = []
        for word in [high, low] {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
        }
        Base64.append(bytes, to: &text)
        text.removeLast(2)
    }
}

extension SourceID: CustomStringConvertible {
    package var description: String {
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
