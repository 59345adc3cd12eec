import Access
import Documents

/// The channels of a document where no sync function says otherwise.
enum Channels {
    /// The `channels` property: a string or a list of strings, as in Sync Gateway's default sync function.
    static func ofProperty(in body: [UInt8]) -> Set<String> {
        var channels: Set<String> = []
        // A body has been checked when it came in, so that reading it again does not fail.
        try? JSONReader.read(body) { reader in
            try reader.object(uniqueKeys: false) { key, value in
                guard key == "channels" else { return }
                switch value.kind {
                case .string: channels.insert(try value.string().composed)
                case .array:
                    try value.array { if $0.kind == .string { channels.insert(try $0.string().composed) } }
                default: break
                }
            }
        }
        return channels
    }
}
