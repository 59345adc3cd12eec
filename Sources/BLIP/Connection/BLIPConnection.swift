/// One side of a BLIP 3 connection: a state machine without I/O.
///
/// The host gives it every binary WebSocket message (``receive(_:)-(UnsafeRawBufferPointer)``), and after each call that may have made
/// something to send, sends the frames that it gives (``nextFrame()``), each as one binary WebSocket message, while the socket takes them.
/// It belongs to one isolation domain at a time.
///
/// Pacing:
/// - Sending: stop making messages while ``hasRoom`` is false.
/// - Receiving: stop reading the socket while ``unansweredRequests`` is more than the host wants to work on, or ``bufferedBytes`` more than
///   it wants to hold. Long messages pause by themselves through acknowledgements.
package final class BLIPConnection {
    var inbound: Inbound
    var outbound: Outbound
    let limits: BLIPLimits

    /// The error that ended the connection, if one did. From then on nothing is received or sent.
    package internal(set) var failure: BLIPError?

    /// Creates a side of a new connection.
    package init(limits: BLIPLimits = BLIPLimits(), compression: BLIPCompression = BLIPCompression()) {
        self.limits = limits
        inbound = Inbound(limits)
        outbound = Outbound(compression)
    }

    /// The bytes of messages that wait to be sent, before compression.
    package var queuedBytes: Int {
        outbound.queuedBytes
    }

    /// Whether fewer bytes wait to be sent than ``BLIPLimits/maxQueuedBytes``.
    package var hasRoom: Bool {
        outbound.queuedBytes < limits.maxQueuedBytes
    }

    /// The bytes received of messages that are not whole, and of streamed replies' parts that were not acknowledged.
    package var bufferedBytes: Int {
        inbound.bufferedBytes
    }

    /// How many of the peer's requests have begun to come and are not whole.
    package var incompleteRequests: Int {
        inbound.requests.count
    }

    /// How many of the peer's requests wait for a reply.
    package var unansweredRequests: Int {
        inbound.unanswered.count
    }

    /// How many requests have gone out whose reply has not come.
    package var awaitedReplies: Int {
        inbound.awaited.count
    }

    /// The number of the request that was queued last; 0 before the first.
    package var lastRequest: UInt64 {
        outbound.newestRequest
    }

    /// Whether all requests of ours up to a number have gone out whole.
    package func hasSentRequests(through number: UInt64) -> Bool {
        outbound.hasSentRequests(through: number)
    }

    /// Whether a request of ours has gone out whole and its reply has not come.
    package func awaitsReply(to number: UInt64) -> Bool {
        inbound.awaited[number] != nil
    }

    /// Whether there is memory that ``releaseMemory()`` gives back.
    package var holdsMemory: Bool {
        outbound.holdsMemory || inbound.holdsMemory
    }

    /// Gives back the compressor's memory (``BLIPCompression``) and all buffers until they are needed again: for connections that have been
    /// idle for a while. What is left are the bytes that the peer's deflate stream may refer to: the last ones inflated, 32 KiB at most.
    package func releaseMemory() {
        outbound.releaseMemory()
        inbound.releaseMemory()
    }
}
