import BLIP

/// What a replicator asks for, holds and sends at a time. Where LiteCore has a number it is LiteCore's (docs/protocol/modern-2x.md#client-limits),
/// but for those that would make a distant server wait.
struct ReplicationLimits: Sendable {
    /// What it has in common with a listener.
    var session: SessionLimits

    /// The rows of one `proposeChanges`, and the most of them that are unanswered.
    var rowsInProposal = 200
    var proposalsInFlight = 5

    /// The most changes that are being proposed or sent.
    var changesUnderWay = 2_000

    /// Bytes of revisions that were sent and are unanswered beyond which no more are sent.
    var bytesAwaitingReply = 4 << 20

    /// The rows that the server is asked to put into one `changes`. LiteCore asks for 200; with a server that keeps three messages under
    /// way, more of them hide the delay of a long line. Many more would not fit into what BLIP sends without an acknowledgement (128 kB), which
    /// takes a round trip.
    var rowsInChanges = 1_500

    /// The most rows of one `changes` that are taken.
    var maxRowsInChanges = 20_000

    /// Revisions that were asked for and have not been stored beyond which `changes` are not answered. What has come and waits to be written
    /// is bounded by the session, so these cost their IDs.
    var revisionsRequested = 15_000

    /// The most `changes` that wait for an answer. Servers send at most five.
    var changesWaiting = 100

    /// How many ancestors an answer to `changes` names.
    var ancestors = 10

    /// How long after a change a checkpoint is saved.
    var checkpointInterval = Duration.seconds(5)

    /// How long a replicator that was stopped may take to store what has come, and waits for the server to keep its checkpoint.
    var stopTimeout = Duration.seconds(5)

    init() {
        session = SessionLimits()
        // One document is in the way of no other, but one that is larger than any that can be stored ends the connection.
        session.blip.maxBodySize = 64 << 20
    }
}
