import BLIP
import Logging
import ModernProtocol

extension ModernSession {
    func ask(_ request: BLIPMessage, into inbox: ReplyInbox, streamsReply: Bool) -> UInt64? {
        send(request, awaiting: .inbox(inbox), streamsReply: streamsReply)
    }

    func lose(_ error: any Error) async {
        finish(.trouble)
        await socket.drop()
    }

    /// Queues the reply to a request of the client's, which may not want one.
    func reply(_ reply: BLIPMessage) {
        guard !isEnded else { return }
        do {
            try connection.send(reply: reply)
        } catch {
            logger.warning("a reply cannot be sent", metadata: ["error": "\(error)"])
            return refuse(reply.number, RequestError(.internalError, "The reply cannot be sent", cause: error))
        }
        guard connection.queuedBytes <= limits.maxQueuedBytes else {
            logger.warning("a client does not read what it asks for", metadata: ["bytes": "\(connection.queuedBytes)"])
            return finish(.trouble)
        }
        toSend.open()
    }

    /// Queues an error reply.
    func refuse(_ number: UInt64, _ error: any Error) {
        let error = RequestError(error)
        // The work of a client that is gone is cancelled: nothing has failed.
        if !isEnded, !error.isRefusal, error.code == .unavailable || error.code == .internalError {
            logger.error("a request failed", metadata: ["error": "\(error)"])
        } else {
            logger.debug("a request is refused", metadata: ["error": "\(error)"])
        }
        reply(error.reply(to: number))
    }

    /// Notes that something has come or is about to go.
    func noteActivity() {
        activity += 1
        // An idle connection has no such task.
        if quiet == nil, connection.holdsMemory, !isEnded { quiet = Task { await releaseWhenQuiet() } }
    }

    /// Gives back the memory that only a busy connection needs once nothing has gone either way for a while: most connections of a fleet are
    /// idle most of the time.
    private func releaseWhenQuiet() async {
        defer { quiet = nil }
        while !isEnded, connection.holdsMemory {
            let seen = activity
            // Quiet is time in which nothing happens, so there is no event to wait for.
            try? await Task.sleep(for: limits.quietTime)
            guard seen == activity else { continue }
            connection.releaseMemory()
            if awaited.isEmpty { awaited = [:] }
            if wanted.isEmpty { wanted = [] }
        }
    }
}
