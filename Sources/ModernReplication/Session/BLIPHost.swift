import BLIP

/// One end of a connection, the listener's or the replicator's: what both do alike.
protocol BLIPHost: Actor {
    nonisolated var socket: any MessageSocket { get }
    nonisolated var limits: SessionLimits { get }
    nonisolated var subprotocol: Subprotocol { get }
    var connection: BLIPConnection { get }

    /// Open when there is something to send, and when something was sent.
    var toSend: Gate { get }
    var sent: Gate { get }

    /// Who sends attachments to the peer.
    var uploads: Turnstile { get }
    var isEnded: Bool { get }

    /// Queues a request of ours; `nil` if it cannot be sent.
    func ask(_ request: BLIPMessage, into inbox: ReplyInbox, streamsReply: Bool) -> UInt64?

    /// Nobody waits for the reply any more.
    func forgetReply(to number: UInt64)

    func reply(_ reply: BLIPMessage)
    func refuse(_ number: UInt64, _ error: any Error)

    /// Something is about to go.
    func noteActivity()

    /// The socket cannot be written to.
    func lose(_ error: any Error) async

    /// Something went wrong on this side that a reply cannot say.
    func fail(_ error: any Error) async
}

extension BLIPHost {
    func noteActivity() {}

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
                await lose(error)
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
}
