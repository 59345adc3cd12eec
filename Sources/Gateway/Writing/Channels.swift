import Documents

/// The channels of a document where no sync function says otherwise.
enum Channels {
    /// The `channels` property: a string or a list of strings, as in Sync Gateway's default sync function.
    static func ofProperty(in body: [UInt8]) -> Set<String> {
        guard let value = DocumentBody.value(of: "channels", in: body) else { return [] }
        switch value {
        case .string(let channel): return [channel]
        case .array(let items):
            return Set(items.compactMap { if case .string(let channel) = $0 { channel } else { nil } })
        default: return []
        }
    }
}
