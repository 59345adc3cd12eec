/// The type prefix of an ID such as `order::17`.
struct IDPrefix: Hashable, Sendable {
    /// The prefix with its separator: `order::`.
    let text: String

    /// Whether the separator rarely occurs in IDs for other reasons.
    let isDeliberate: Bool

    /// The prefix without its separator.
    let name: String

    /// Longest name in bytes.
    private static let maximumLength = 40

    private static let deliberate = ["::", ":"]
    private static let ordinary = ["-", "_", ".", "/", "|", "#"]

    /// The prefix of an ID; `nil` if it has none that could name a type. Names begin with a letter.
    init?(_ id: String) {
        let bytes = Array(id.utf8.prefix(Self.maximumLength + 2))
        for separator in Self.deliberate {
            if let end = Self.position(of: Array(separator.utf8), in: bytes) {
                self.init(bytes[..<end], separator, isDeliberate: true)
                return
            }
        }
        guard let end = bytes.firstIndex(where: { byte in Self.ordinary.contains { $0.utf8.first == byte } }) else { return nil }
        self.init(bytes[..<end], String(decoding: [bytes[end]], as: UTF8.self), isDeliberate: false)
    }

    private init?(_ name: ArraySlice<UInt8>, _ separator: String, isDeliberate: Bool) {
        guard let first = name.first, name.count <= Self.maximumLength, Self.isLetter(first),
            let text = String(validating: name, as: UTF8.self), ReportFormat.plain(text) == text
        else { return nil }
        self.name = text
        self.text = text + separator
        self.isDeliberate = isDeliberate
    }

    private static func position(of separator: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= separator.count else { return nil }
        return (0...(bytes.count - separator.count)).first { bytes[$0..<($0 + separator.count)].elementsEqual(separator) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte >= 0x80
    }
}
