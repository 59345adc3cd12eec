/// One side of a BLIP 3 connection: a state machine without I/O.
///
/// The host passes every binary WebSocket message to ``receive(_:)-(UnsafeRawBufferPointer)``. After each call that may have queued data,
/// it sends the frames of ``nextFrame()``, each as one binary WebSocket message, while the socket accepts them. The connection belongs to
/// one isolation domain at a time.
///
/// Flow control:
/// - Sending: produce no messages while ``hasRoom`` is false.
/// - Receiving: stop reading the socket while ``unansweredRequests`` or ``bufferedBytes`` exceeds the host's limit. Acknowledgements pause
///   long messages automatically.
package final class BLIPConnection {
    var inbound: Inbound
    var outbound: Outbound
    let limits: BLIPLimits

    /// The error that ended the connection, if any. After it nothing is received or sent.
    package internal(set) var failure: BLIPError?

    /// Creates a side of a new connection.
    package init(limits: BLIPLimits = BLIPLimits(), compression: BLIPCompression = BLIPCompression()) {
        self.limits = limits
        inbound = Inbound(limits)
        outbound = Outbound(compression)
    }

    /// The size of all messages that are queued for sending, before compression, in bytes.
    package var queuedBytes: Int {
        outbound.queuedBytes
    }

    /// Whether fewer bytes than ``BLIPLimits/maxQueuedBytes`` are queued for sending.
    package var hasRoom: Bool {
        outbound.queuedBytes < limits.maxQueuedBytes
    }

    /// The received bytes of incomplete messages, and of unacknowledged parts of streamed replies.
    package var bufferedBytes: Int {
        inbound.bufferedBytes
    }

    /// The number of the peer's requests that are partly received.
    package var incompleteRequests: Int {
        inbound.requests.count
    }

    /// The number of the peer's requests that wait for a reply.
    package var unansweredRequests: Int {
        inbound.unanswered.count
    }

    /// The number of sent requests whose reply is not completely received.
    package var awaitedReplies: Int {
        inbound.awaited.count
    }

    /// The number of the request that was queued last; 0 if there is none.
    package var lastRequest: UInt64 {
        outbound.newestRequest
    }

    /// Whether all requests of this side up to a number have been sent completely.
    package func hasSentRequests(through number: UInt64) -> Bool {
        outbound.hasSentRequests(through: number)
    }

    /// Whether a request of this side has been sent completely and its reply has not been received.
    package func awaitsReply(to number: UInt64) -> Bool {
        inbound.awaited[number] != nil
    }

    /// Whether ``releaseMemory()`` can release memory.
    package var holdsMemory: Bool {
        outbound.holdsMemory || inbound.holdsMemory
    }

    /// Releases the compressor's memory (``BLIPCompression``) and all buffers until they are needed again, for idle connections.
    ///
    /// The connection keeps only the bytes that the peer's deflate stream may refer to: the last 32 KiB inflated, at most.
    package func releaseMemory() {
        outbound.releaseMemory()
        inbound.releaseMemory()
    }
}
