import BLIP
import Logging

extension ModernSession {
    /// Sends what there is to send, until the connection has ended.
    func sendFrames() async {
        while !isEnded {
            let frames = takeFrames()
            guard !frames.isEmpty else {
                await toSend.wait()
                continue
            }
            noteActivity()
            do {
                try await socket.send(frames)
            } catch {
                finish(.trouble)
                await socket.drop()
            }
            sent.open()
        }
    }

    private func takeFrames() -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var size = 0
        while size < limits.flushSize, let frame = connection.nextFrame() {
            size += frame.count
            frames.append(frame)
        }
        return frames
    }

    /// Waits until there is room for more outgoing bytes.
    func room() async {
        while !connection.hasRoom, !isEnded {
            await sent.wait()
        }
    }

    /// Queues a request of ours.
    ///
    /// - Returns: Its number; `nil` if it cannot be sent, which is logged.
    func send(_ request: BLIPMessage, awaiting answer: AwaitedAnswer? = nil, streamsReply: Bool = false) -> UInt64? {
        guard !isEnded else { return nil }
        do {
            let number = try connection.send(request: request, streamsReply: streamsReply)
            if let answer { awaited[number] = answer }
            toSend.open()
            return number
        } catch {
            logger.warning("a message cannot be sent", metadata: ["profile": "\(request.profile ?? "")", "error": "\(error)"])
            return nil
        }
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
        if error.code == .unavailable || error.code == .internalError {
            logger.error("a request failed", metadata: ["error": "\(error)"])
        } else {
            logger.debug("a request is refused", metadata: ["error": "\(error)"])
        }
        reply(error.reply(to: number))
    }
}
