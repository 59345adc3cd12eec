package import Documents

/// The part of the data that a client had received from the legacy upstream at a position of its feed.
package struct UpstreamVisibility: Hashable, Sendable {
    /// The channels of which the client has every document up to the position; ``ChannelAccess/everything`` for all.
    package var channels: Set<String>

    /// The channels granted after the position, each with the upstream sequence of the grant.
    package var later: [String: Int64]

    /// The user's own channels on upstream now; `nil` if upstream has no channels, or was not asked.
    package var own: Set<String>?

    /// Changes after the position that the client has to receive: deleted documents, and documents that left the user's channels.
    package var losses: [Loss] = []

    /// The rows of the feed after the position; `nil` if they were not read, or not completely.
    package var told: Told?

    /// The rows of upstream's feed after a position.
    package struct Told: Hashable, Sendable {
        /// The documents.
        package var ids: Set<ExactString>

        /// The sequence up to which the rows are complete.
        package var end: Int64

        package init(ids: Set<ExactString> = [], end: Int64 = 0) {
            self.ids = ids
            self.end = end
        }
    }

    package struct Loss: Hashable, Sendable {
        package let id: String

        /// The channels that the document has left. Empty for a deleted document until its channel is determined.
        package var channels: Set<String>

        /// The sequence of the upstream change with which it left; `nil` if it has none.
        package var number: Int64?

        package init(id: String, channels: Set<String> = [], number: Int64? = nil) {
            self.id = id
            self.channels = channels
            self.number = number
        }
    }

    package init(channels: Set<String> = [], later: [String: Int64] = [:], losses: [Loss] = [], own: Set<String>? = nil) {
        self.channels = channels
        self.own = own
        self.later = later
        self.losses = losses
    }
}
