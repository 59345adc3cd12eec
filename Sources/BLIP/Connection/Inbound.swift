/// The receiving half of a connection: puts messages together from the peer's frames.
struct Inbound {
    let limits: BLIPLimits
    var decoder: FrameDecoder

    /// The number of the newest request of the peer's.
    var newestRequest: UInt64 = 0

    /// The peer's requests that are arriving.
    var requests: [UInt64: IncomingMessage] = [:]

    /// Our requests that wait for replies.
    var awaited: [UInt64: AwaitedReply] = [:]

    /// The peer's requests that wait for replies, each with whether it is urgent.
    private(set) var unanswered: [UInt64: Bool] = [:]

    /// How many replies are arriving.
    var openReplies = 0

    /// Bytes of unfinished messages and unconsumed parts.
    var bufferedBytes = 0

    /// Acknowledgements that are due.
    private(set) var acknowledgements: [Acknowledgement] = []

    init(_ limits: BLIPLimits) {
        self.limits = limits
        decoder = FrameDecoder(limits)
    }

    /// Notes that a request has gone out and wants a reply.
    mutating func awaitReply(to number: UInt64, isStreamed: Bool) {
        awaited[number] = AwaitedReply(isStreamed: isStreamed)
    }

    /// Notes that a request of the peer's waits for a reply.
    mutating func addUnanswered(_ request: BLIPMessage) {
        unanswered[request.number] = request.isUrgent
    }

    /// Forgets a request of the peer's, because its reply is given.
    ///
    /// - Returns: Whether it is urgent; `nil` if there is no such request that waits for one.
    mutating func removeUnanswered(_ number: UInt64) -> Bool? {
        unanswered.removeValue(forKey: number)
    }

    /// Has an acknowledgement sent. It takes the place of an earlier one for the same message.
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

    /// Takes the next acknowledgement to send.
    mutating func nextAcknowledgement() -> Acknowledgement? {
        acknowledgements.isEmpty ? nil : acknowledgements.removeFirst()
    }

    var holdsMemory: Bool {
        decoder.holdsMemory
    }

    /// Gives back memory that only a busy connection needs.
    mutating func releaseMemory() {
        decoder.releaseMemory()
        if requests.isEmpty { requests = [:] }
        if awaited.isEmpty { awaited = [:] }
        if unanswered.isEmpty { unanswered = [:] }
    }

    /// Checks that there is room for one more unfinished message.
    func checkOpenMessages() throws(BLIPError) {
        guard requests.count + openReplies < limits.maxOpenMessages else {
            throw BLIPError(
                .tooManyOpenMessages, "the peer has begun more than \(limits.maxOpenMessages) messages without ending them")
        }
    }

    /// Notes that so many more bytes are held, or fewer.
    mutating func hold(_ bytes: Int) throws(BLIPError) {
        bufferedBytes += bytes
        guard bufferedBytes <= limits.maxBufferedBytes else {
            throw BLIPError(
                .tooManyBufferedBytes,
                "unfinished messages and unconsumed replies have more than \(limits.maxBufferedBytes) bytes")
        }
    }

    /// Notes that so many bytes are no longer held.
    mutating func release(_ bytes: Int) {
        bufferedBytes -= bytes
    }
}
