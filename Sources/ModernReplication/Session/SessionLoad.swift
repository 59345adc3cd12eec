/// How much work of a session is under way that comes to its end without the client.
struct SessionLoad {
    /// Requests whose answers are being found.
    var requests = 0

    /// Revisions that wait to be written or are being written, and their bytes.
    var revisions = 0
    var bytes = 0

    /// Revisions that wait for attachments, and their bytes. They wait for the client, so they never keep the socket from being read.
    var revisionsAwaitingAttachments = 0
    var bytesAwaitingAttachments = 0

    /// Proposals that wait for the client's own pull.
    var waitingProposals = 0

    func isTooMuch(_ limits: SessionLimits) -> Bool {
        requests >= limits.requests || revisions >= limits.revisionsToWrite || bytes >= limits.bytesToWrite
    }
}
