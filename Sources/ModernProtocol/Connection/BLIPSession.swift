package import BLIP
package import Coordination
package import Logging

/// One end of a connection, with the logic that the listener and the replicator share.
package protocol BLIPSession: Actor {
    /// The purpose of a request whose reply is outstanding.
    associatedtype Awaited

    nonisolated var logger: Logger { get }
    nonisolated var socket: any MessageSocket { get }
    nonisolated var limits: SessionLimits { get }
    nonisolated var subprotocol: Subprotocol { get }
    var connection: BLIPConnection { get }

    /// Notified when there is something to send, and when something was sent.
    var toSend: Condition { get }
    var sent: Condition { get }

    /// The limit of concurrent attachment uploads to the peer.
    var uploads: Semaphore { get }
    var isEnded: Bool { get }

    /// This session's requests whose replies are outstanding.
    var awaited: [UInt64: Awaited] { get set }

    /// Processes one message, or one part of a reply.
    func receive(_ event: BLIPEvent)

    /// Ends the session because of the peer or the network.
    func finish(by end: ConnectionEnd)

    /// Queues a request of this session; `nil` if it cannot be sent.
    func ask(_ request: BLIPMessage, into inbox: ReplyInbox, streamsReply: Bool) -> UInt64?

    /// Removes the record of a request; its reply is ignored.
    func forgetReply(to number: UInt64)

    func reply(_ reply: BLIPMessage)
    func refuse(_ number: UInt64, _ error: any Error)

    /// Records traffic in either direction.
    func recordActivity()

    /// Handles a failed write to the socket.
    func sendFailed(_ error: any Error) async

    /// Ends the session because of an error on this side that no reply can report.
    func fail(_ error: any Error) async
}

extension BLIPSession {
    package func recordActivity() {}

    /// Sends queued frames until the connection has ended.
    package func sendFrames() async {
        while !isEnded {
            let frames = takeFrames()
            guard !frames.isEmpty else {
                await toSend.wait()
                continue
            }
            recordActivity()
            do {
                try await socket.send(frames)
            } catch {
                await sendFailed(error)
            }
            sent.notifyAll()
        }
    }

    /// Receives all messages that have arrived; `nil` once the connection has ended.
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

    /// Processes messages that have arrived together.
    package func receive(_ frames: [[UInt8]]) {
        for frame in frames where !isEnded {
            do {
                guard let event = try connection.receive(frame) else { continue }
                receive(event)
            } catch {
                finish(by: .violation(error))
            }
        }
        recordActivity()
        // Acknowledgements may have freed window space for replies that are being streamed.
        sent.notifyAll()
        toSend.notifyAll()
    }

    /// Queues a request of this session.
    /// - Returns: The request's number; `nil` if it cannot be sent, which is logged.
    package func send(_ request: BLIPMessage, awaiting reply: Awaited? = nil, streamsReply: Bool = false) -> UInt64? {
        guard !isEnded else { return nil }
        do {
            let number = try connection.send(request: request, streamsReply: streamsReply)
            if let reply { awaited[number] = reply }
            toSend.notifyAll()
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

    /// Waits until a request that expects a reply has been sent completely: a shorter request that is queued before that would overtake it.
    package func waitUntilSent(_ number: UInt64) async {
        while awaited[number] != nil, !connection.awaitsReply(to: number), !isEnded {
            await sent.wait()
        }
    }

    /// Waits until all requests that are queued at the call have been sent completely.
    package func waitUntilRequestsSent() async {
        let last = connection.lastRequest
        while !connection.hasSentRequests(through: last), !isEnded {
            await sent.wait()
        }
    }

    /// Waits until the connection's queue accepts more outgoing bytes.
    package func waitForQueueSpace() async {
        while !connection.hasRoom, !isEnded {
            await sent.wait()
        }
    }
}

/// The reason why a connection ends, other than this side.
package enum ConnectionEnd {
    /// The peer closed it.
    case peer
    /// The network failed.
    case lost(any Error)
    /// The peer violated the protocol.
    case violation(BLIPError)
}

/// Delivers a reply, or its parts one by one, to the task that waits for it.
package final class ReplyInbox {
    private var events: [BLIPEvent] = []
    private var isClosed = false
    private let changed = Condition()

    package init() {}

    package func append(_ event: BLIPEvent) {
        events.append(event)
        changed.notifyAll()
    }

    /// Ends the inbox: no more parts arrive.
    package func close() {
        isClosed = true
        changed.notifyAll()
    }

    /// Returns the next part.
    /// - Throws: `unavailable` if the connection ends before the part arrives.
    package func next(isolation: isolated (any Actor)? = #isolation) async throws -> BLIPEvent {
        while events.isEmpty, !isClosed {
            await changed.wait()
        }
        guard !events.isEmpty else { throw BLIPRequestError(.unavailable, "The connection has ended") }
        return events.removeFirst()
    }
}

/// A WebSocket's interface for sessions: binary messages, received and sent in batches.
///
/// BLIP has no text messages: the socket ignores them or closes with 1003.
public protocol MessageSocket: Sendable {
    /// Waits for messages, and returns all that have arrived.
    /// - Returns: `nil` once the peer has closed; the socket has then replied to the close message.
    /// - Throws: If the connection breaks or the task is cancelled.
    func receive() async throws -> [[UInt8]]?

    /// Sends messages with one flush, and returns when the connection accepts more.
    ///
    /// - Throws: If the connection is broken or closed, or the task is cancelled.
    func send(_ messages: [[UInt8]]) async throws

    /// Closes with a close handshake and a WebSocket status code.
    func close(code: UInt16, reason: String) async

    /// Ends the connection without a close message: clients treat that as a network failure and reconnect.
    func drop() async
}
