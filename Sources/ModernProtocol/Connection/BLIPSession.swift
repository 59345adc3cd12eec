package import BLIP
package import Logging

/// One end of a connection, the listener's or the replicator's: what both do alike.
package protocol BLIPSession: Actor {
    /// What becomes of a reply.
    associatedtype Awaited

    nonisolated var logger: Logger { get }
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

    /// Our requests whose replies have not come.
    var awaited: [UInt64: Awaited] { get set }

    /// Deals with one message, or one part of a reply.
    func receive(_ event: BLIPEvent)

    /// The connection is over by what the peer or the network did.
    func finish(by end: ConnectionEnd)

    /// Queues a request of ours; `nil` if it cannot be sent.
    func ask(_ request: BLIPMessage, into inbox: ReplyInbox, streamsReply: Bool) -> UInt64?

    /// Nobody waits for the reply any more.
    func forgetReply(to number: UInt64)

    func reply(_ reply: BLIPMessage)
    func refuse(_ number: UInt64, _ error: any Error)

    /// Something has come or is about to go.
    func noteActivity()

    /// The socket cannot be written to.
    func lose(_ error: any Error) async

    /// Something went wrong on this side that a reply cannot say.
    func fail(_ error: any Error) async
}

extension BLIPSession {
    package func noteActivity() {}

    /// Sends what there is to send, until the connection has ended.
    package func sendFrames() async {
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

    /// Takes all messages that have arrived; `nil` once the connection has ended.
    package func receiveFrames() async -> [[UInt8]]? {
        guard !isEnded else { return nil }
        do {
            guard let frames = try await socket.receive() else {
                finish(by: .peer)
                return nil
            }
            return isEnded ? nil : frames
        } catch {
            finish(by: .lost(error))
            return nil
        }
    }

    /// Deals with messages that have arrived together.
    package func receive(_ frames: [[UInt8]]) {
        for frame in frames where !isEnded {
            do {
                guard let event = try connection.receive(frame) else { continue }
                receive(event)
            } catch {
                finish(by: .violation(error))
            }
        }
        noteActivity()
        // Acknowledgements may have made room for replies that are being streamed.
        sent.open()
        toSend.open()
    }

    /// Queues a request of ours.
    ///
    /// - Returns: Its number; `nil` if it cannot be sent, which is logged.
    package func send(_ request: BLIPMessage, awaiting reply: Awaited? = nil, streamsReply: Bool = false) -> UInt64? {
        guard !isEnded else { return nil }
        do {
            let number = try connection.send(request: request, streamsReply: streamsReply)
            if let reply { awaited[number] = reply }
            toSend.open()
            return number
        } catch {
            logger.warning("a message cannot be sent", metadata: ["profile": "\(request.profile ?? "")", "error": "\(error)"])
            return nil
        }
    }

    package func forgetReply(to number: UInt64) {
        awaited[number] = nil
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

    /// Waits until a request that is to be answered has gone out whole: a shorter one that is queued before would overtake it.
    package func departure(of number: UInt64) async {
        while awaited[number] != nil, !connection.awaitsReply(to: number), !isEnded {
            await sent.wait()
        }
    }

    /// Waits until all requests that are queued now have gone out whole.
    package func departureOfRequests() async {
        let last = connection.lastRequest
        while !connection.hasSentRequests(through: last), !isEnded {
            await sent.wait()
        }
    }

    /// Waits until there is room for more outgoing bytes.
    package func room() async {
        while !connection.hasRoom, !isEnded {
            await sent.wait()
        }
    }
}

/// How a connection ends from the other side.
package enum ConnectionEnd {
    /// The peer closed it.
    case peer
    /// The network failed.
    case lost(any Error)
    /// The peer broke the protocol.
    case violation(BLIPError)
}

/// Where a task waits for a reply, or for its parts one by one.
package final class ReplyInbox {
    private var events: [BLIPEvent] = []
    private var isClosed = false
    private let gate = Gate()

    package init() {}

    package func append(_ event: BLIPEvent) {
        events.append(event)
        gate.open()
    }

    /// Nothing more will come.
    package func close() {
        isClosed = true
        gate.open()
    }

    /// The next part.
    ///
    /// - Throws: `unavailable` if the connection ends before it comes.
    package func next(isolation: isolated (any Actor)? = #isolation) async throws -> BLIPEvent {
        while events.isEmpty, !isClosed {
            await gate.wait()
        }
        guard !events.isEmpty else { throw RequestError(.unavailable, "The connection has ended") }
        return events.removeFirst()
    }
}
