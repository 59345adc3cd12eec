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

    /// The reader's access, with the channels that the device had seen as if they had been granted from the beginning: the feed from its place has all
    /// of their news. A later grant keeps its time: the device may have read on without the channel.
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
