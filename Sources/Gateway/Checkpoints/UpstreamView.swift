import Access
import Documents
import Storage

/// What a device had seen on the legacy upstream, as far as the feed here has to know it.
struct UpstreamView {
    /// The channels of which it had every document up to its place there.
    var channels: Set<ExactString> = []

    /// The places of rows that it is not sent, because upstream had not sent them.
    var silent: Set<String> = []

    /// Our counter when that was learned.
    var learned: Sequence = .zero

    /// What somebody may see, with what such a device had seen as if it had been granted from the beginning: the feed from its place has all of its news.
    /// That does not hold for what was granted afterwards: the device may have read on meanwhile.
    func widening(_ access: [CollectionKey: ChannelAccess]) -> [CollectionKey: ChannelAccess] {
        guard !channels.isEmpty else { return access }
        return access.mapValues { access in
            var access = access
            for (channel, granted) in access.channels where granted <= learned && channels.contains(ExactString(channel)) {
                access.channels[channel] = .zero
            }
            return access
        }
    }
}
