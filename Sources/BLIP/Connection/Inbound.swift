/// The receiving half of a connection: assembles messages from the peer's frames.
struct Inbound {
    let limits: BLIPLimits
    var decoder: FrameDecoder

    /// The number of the peer's newest request.
    var newestRequest: UInt64 = 0

    /// The peer's requests that are partly received.
    var requests: [UInt64: IncomingMessage] = [:]

    /// This side's requests that wait for replies.
    var awaited: [UInt64: AwaitedReply] = [:]

    /// The peer's requests that wait for replies. The value is true for an urgent request.
    private(set) var unanswered: [UInt64: Bool] = [:]

    /// The number of partly received replies.
    var openReplies = 0

    /// The size of incomplete messages and unconsumed parts.
    var bufferedBytes = 0

    /// Acknowledgements to send.
    private(set) var acknowledgements: [Acknowledgement] = []

    init(_ limits: BLIPLimits) {
        self.limits = limits
        decoder = FrameDecoder(limits)
    }

    /// Registers a sent request that wants a reply.
    mutating func awaitReply(to number: UInt64, isStreamed: Bool) {
        awaited[number] = AwaitedReply(isStreamed: isStreamed)
    }

    /// Registers a request of the peer that waits for a reply.
    mutating func addUnanswered(_ request: BLIPMessage) {
        unanswered[request.number] = request.isUrgent
    }

    /// Removes a request of the peer whose reply is queued.
    ///
    /// - Returns: Whether the request is urgent; `nil` if no request with this number waits for a reply.
    mutating func removeUnanswered(_ number: UInt64) -> Bool? {
        unanswered.removeValue(forKey: number)
    }

    /// Queues an acknowledgement, replacing an earlier one for the same message.
    mutating func acknowledge(_ acknowledgement: Acknowledgement) {
        let earlier = acknowledgements.firstIndex {
            $0.number == acknowledgement.number && $0.isReply == acknowledgement.isReply
        }
        if let earlier {
            acknowledgements[earlier] = acknowledgement
        } else {
            acknowledgements.append(acknowledgement)
        }
    }

    /// Removes and returns the next acknowledgement to send.
    mutating func nextAcknowledgement() -> Acknowledgement? {
        acknowledgements.isEmpty ? nil : acknowledgements.removeFirst()
    }

    var holdsMemory: Bool {
        decoder.holdsMemory
    }

    /// Releases memory that only an active connection needs.
    mutating func releaseMemory() {
        decoder.releaseMemory()
        if requests.isEmpty { requests = [:] }
        if awaited.isEmpty { awaited = [:] }
        if unanswered.isEmpty { unanswered = [:] }
    }

    /// Checks that one more incomplete message is allowed.
    func checkOpenMessages() throws(BLIPError) {
        guard requests.count + openReplies < limits.maxOpenMessages else {
            throw BLIPError(
                .tooManyOpenMessages, "the peer has begun more than \(limits.maxOpenMessages) messages without finishing them")
        }
    }

    /// Adds to the number of buffered bytes; `bytes` may be negative.
    mutating func addBuffered(_ bytes: Int) throws(BLIPError) {
        bufferedBytes += bytes
        guard bufferedBytes <= limits.maxBufferedBytes else {
            throw BLIPError(
                .tooManyBufferedBytes,
                "unfinished messages and unconsumed replies have more than \(limits.maxBufferedBytes) bytes")
        }
    }

    /// Subtracts from the number of buffered bytes.
    mutating func removeBuffered(_ bytes: Int) {
        bufferedBytes -= bytes
    }
}
