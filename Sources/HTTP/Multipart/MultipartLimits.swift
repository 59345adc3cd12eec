/// Bounds on what a multipart parser holds or counts. Bodies of parts are not bounded here: they pass through,
/// and whoever takes them counts them.
public struct MultipartLimits: Sendable, Hashable {
    /// Text before the first delimiter, in bytes.
    public var preambleBytes: Int
    /// What follows the closing delimiter, in bytes.
    public var epilogueBytes: Int
    /// Parts of the body; those of inner bodies are counted by their own parsers.
    public var parts: Int
    /// Header lines of one part.
    public var headersPerPart: Int
    /// All headers of one part, in bytes.
    public var headerBytesPerPart: Int

    /// Limits that every body of a known client or server keeps.
    public init(
        preambleBytes: Int = 16_384, epilogueBytes: Int = 16_384, parts: Int = 10_000, headersPerPart: Int = 32,
        headerBytesPerPart: Int = 16_384
    ) {
        self.preambleBytes = preambleBytes
        self.epilogueBytes = epilogueBytes
        self.parts = parts
        self.headersPerPart = headersPerPart
        self.headerBytesPerPart = headerBytesPerPart
    }
}
