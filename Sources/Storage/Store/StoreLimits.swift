/// The limits of a store's contents and of one call's work, for each engine.
package enum StoreLimits {
    /// The largest counter: the largest integer that every JSON parser reads exactly.
    package static let maximumSequence: Int64 = (1 << 53) - 1

    /// The prefix of the names of a store's internal settings.
    package static let reservedPrefix = "store."

    /// Stored losses of one grant. Above it, the two oldest are merged.
    package static let lossesOfGrant = 10

    /// The bytes that one collection of attachments deletes, so that other writers do not wait for long.
    package static let collectedBytes: Int64 = 64 << 20

    /// Documents by which one call advances the mark from which the search for the first unshown document starts.
    package static let shownStride = 10_000

    /// Records of devices of the old server, of one user and in total. A record is needed until its device has a position in our own feed.
    package static let devicesOfUser = 1_000
    package static let devicesInTotal = 100_000

    /// Recorded removals from channels for documents that have not been received yet.
    package static let channelLosses = 100_000

    /// Visits of one user. A user with ever new client names or addresses displaces only his own rows.
    package static let visitsOfUser = 1_000

    /// Visits in total.
    package static let visitsKept = 100_000

    /// The lifetime of a visit, in milliseconds. No gate needs a longer time.
    package static let visitLifetime: Int64 = 400 * CheckpointDay.length
}
