/// Who makes versions of documents: a database, by 16 bytes that never change.
///
/// Its text is base64 without the padding, 22 characters (LiteCore, SourceID.hh). The source ID of a Couchbase Lite 4.x database is the UUID
/// that it sends with `getCollections`.
public struct SourceID: Hashable, Sendable {
    /// How many bytes it has.
    public static let size = 16

    /// How many characters its text has.
    static let textLength = 22

    private let high: UInt64
    private let low: UInt64

    /// The source of versions that stand for IDs of revision trees: LiteCore's `Revision+Tree+Encoding`.
    public static let revisionTrees = SourceID(high: 0x45eb_e2b2_2a27_f93a, low: 0xde7b_e127_7287_629e)

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameter bytes: 16 bytes; `nil` for another number.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// - Parameter text: 22 characters of base64; `nil` for anything else.
    public init?(utf8 text: some Collection<UInt8>) {
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
    public var description: String {
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
