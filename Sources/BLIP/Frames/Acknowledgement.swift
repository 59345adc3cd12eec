/// Tells the sender of a long message how many of its bytes have arrived. `ACKMSG`, `ACKRPY`.
struct Acknowledgement: Equatable {
    let number: UInt64

    /// Whether the message is a reply; otherwise it is a request.
    let isReply: Bool

    /// The bytes of its frames so far, compressed as they were, each with its checksum but without its header.
    var total: UInt64

    init(number: UInt64, isReply: Bool, total: UInt64) {
        self.number = number
        self.isReply = isReply
        self.total = total
    }

    /// Reads what follows the header of such a frame.
    ///
    /// - Throws: `badFrame`.
    init(_ header: FrameHeader, payload: UnsafeRawBufferPointer) throws(BLIPError) {
        guard let total = try Varint.decode(payload) else {
            throw BLIPError(.badFrame, "the acknowledgement of message \(header.number) ends within its byte count")
        }
        self.init(number: header.number, isReply: header.kind == .replyACK, total: total.value)
    }

    /// Appends the frame. It carries no checksum.
    func append(to bytes: inout [UInt8]) {
        FrameHeader.append(number, isReply ? .replyACK : .requestACK, [.urgent, .noReply], to: &bytes)
        Varint.append(total, to: &bytes)
    }
}
