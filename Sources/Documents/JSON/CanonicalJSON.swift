/// JSON in the one form over which a digest is taken: keys in order of their UTF-8 bytes, no whitespace, one spelling of each string.
///
/// Numbers keep their text. Sync Gateway does the same. LiteCore prints numbers anew, so `1.50` gives another digest there than here:
/// that costs nothing but the coincidence of two independent writers making one revision ID.
public enum CanonicalJSON {
    /// Whose spelling of strings is used.
    public enum Style: Hashable, Sendable {
        /// Go's encoding/json, as in Sync Gateway 2.8: `<`, `>`, `&`, U+2028 and U+2029 are escaped; `\n`, `\r`, `\t` are the only short
        /// escapes of control characters; lone surrogates become U+FFFD.
        case syncGateway

        /// Fleece's encoder, as in LiteCore: control characters and U+007F are escaped; `\n`, `\r`, `\t` are the only short escapes.
        case liteCore
    }

    /// The canonical form of a JSON text. Of equal keys in one object the last counts.
    ///
    /// - Throws: ``JSONError``.
    public static func encode(
        _ json: [UInt8],
        style: Style,
        maximumDepth: Int = JSONReader.defaultMaximumDepth,
    ) throws -> [UInt8] {
        var encoder = CanonicalEncoder(style: style)
        try JSONReader.read(json, maximumDepth: maximumDepth) { try encoder.value(&$0) }
        return encoder.bytes
    }

    /// The canonical form of a document's body with a member `"_deleted": true`.
    static func encodeTombstone(_ body: [UInt8], style: Style) throws -> [UInt8] {
        var encoder = CanonicalEncoder(style: style)
        try JSONReader.read(body) { try encoder.object(&$0, isTombstone: true) }
        return encoder.bytes
    }
}
