import Access
import Documents

/// The channels of a document where no sync function says otherwise.
enum Channels {
    /// The `channels` property: a string or a list of strings, as in Sync Gateway's default sync function.
    static func ofProperty(in body: [UInt8]) -> Set<String> {
        // A body has been checked when it came in, so that reading it again does not fail.
        (try? JSONReader.read(body) { try ofProperty(reading: &$0) }) ?? []
    }

    /// As ``ofProperty(in:)``, for a body that is being checked.
    static func ofProperty(reading body: inout JSONReader) throws -> Set<String> {
        var channels: Set<String> = []
        func add(_ name: inout JSONReader) throws {
            do {
                channels.insert(try name.string().composed)
            } catch where error.code == .loneSurrogate {
                // JSON all the same, though no text: no channel can have that name.
            }
        }
        try body.object(uniqueKeys: false) { key, value in
            guard key == "channels" else { return }
            switch value.kind {
            case .string: try add(&value)
            case .array: try value.array { if $0.kind == .string { try add(&$0) } }
            default: break
            }
        }
        return channels
    }
}
