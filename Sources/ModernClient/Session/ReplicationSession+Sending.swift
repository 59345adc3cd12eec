import BLIP
import Coordination
import Logging
import ModernProtocol

extension ReplicationSession {
    /// Sends a request and waits for its reply.
    /// - Throws: ``BLIPRequestError`` if the connection ends before the reply arrives.
    func ask(_ request: BLIPMessage) async throws -> BLIPMessage {
        let inbox = ReplyInbox()
        guard send(request, awaiting: .inbox(inbox)) != nil, case .reply(let reply) = try await inbox.next() else {
            throw BLIPRequestError(.unavailable, "The connection has ended")
        }
        return reply
    }

    func ask(_ request: BLIPMessage, into inbox: ReplyInbox, streamsReply: Bool) -> UInt64? {
        send(request, awaiting: .inbox(inbox), streamsReply: streamsReply)
    }

    func reply(_ reply: BLIPMessage) {
        guard !isEnded else { return }
        do {
            try connection.send(reply: reply)
        } catch {
            logger.warning("a reply cannot be sent", metadata: ["error": "\(error)"])
        }
        guard connection.queuedBytes <= limits.maxQueuedBytes else {
            return finish(.failed(ReplicatorError(.unexpectedCondition, "The server sends requests and does not read the answers")))
        }
        toSend.notifyAll()
    }

    func refuse(_ number: UInt64, _ error: any Error) {
        reply(BLIPRequestError(error).reply(to: number))
    }

    /// Waits until all queued frames have been passed to the socket.
    func drain() async {
        while connection.queuedBytes > 0, !isEnded { await sent.wait() }
    }
}
