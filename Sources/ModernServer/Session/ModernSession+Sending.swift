import BLIP
import Coordination
import Logging
import ModernProtocol
import Telemetry

extension ModernSession {
    func ask(_ request: BLIPMessage, into inbox: ReplyInbox, streamsReply: Bool) -> UInt64? {
        send(request, awaiting: .inbox(inbox), streamsReply: streamsReply)
    }

    func sendFailed(_ error: any Error) async {
        finish(.trouble)
        await socket.drop()
    }

    /// Queues the reply to a client's request; BLIP drops it if the client wants no reply.
    func reply(_ reply: BLIPMessage) {
        defer { if !spans.isEmpty { spans.removeValue(forKey: reply.number)?.end() } }
        guard !isEnded else { return }
        do {
            try connection.send(reply: reply)
        } catch {
            logger.warning("a reply cannot be sent", metadata: ["error": "\(error)"])
            return refuse(reply.number, BLIPRequestError(.internalError, "The reply cannot be sent", cause: error))
        }
        guard connection.queuedBytes <= limits.maxQueuedBytes else {
            logger.warning("a client does not read the answers to its requests", metadata: ["bytes": "\(connection.queuedBytes)"])
            return finish(.trouble)
        }
        toSend.notifyAll()
    }

    /// Queues an error reply.
    func refuse(_ number: UInt64, _ error: any Error) {
        let error = BLIPRequestError(error)
        // The work of a disconnected client is cancelled; that is not a failure.
        if !isEnded, !error.isRefusal, error.code == .unavailable || error.code == .internalError {
            logger.error("a request failed", metadata: ["error": "\(error)"])
            spans[number]?.fail()
        } else {
            logger.debug("a request is refused", metadata: ["error": "\(error)"])
        }
        reply(error.reply(to: number))
    }

    /// Records traffic in either direction.
    func recordActivity() {
        activity += 1
        // An idle connection has no release task.
        if quiet == nil, connection.holdsMemory, !isEnded { quiet = Task { await releaseWhenQuiet() } }
    }

    /// Releases the memory that only a busy connection needs, after a period without traffic. Most connections of a fleet are idle most of
    /// the time.
    private func releaseWhenQuiet() async {
        defer { quiet = nil }
        while !isEnded, connection.holdsMemory {
            let seen = activity
            // Idleness is the absence of events, so there is no event to wait for.
            try? await suspend(for: limits.quietTime)
            guard seen == activity else { continue }
            connection.releaseMemory()
            if awaited.isEmpty { awaited = [:] }
            if wanted.isEmpty { wanted = [] }
        }
    }
}
