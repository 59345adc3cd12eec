/// Reports to the sender of a long message how many of its bytes have arrived: `ACKMSG`, `ACKRPY`.
struct Acknowledgement: Equatable {
    let number: UInt64

    /// Whether the message is a reply; otherwise it is a request.
    let isReply: Bool

    /// The size of the message's frames so far: the bytes as transmitted (compressed), including checksums, without headers.
    var total: UInt64

    init(number: UInt64, isReply: Bool, total: UInt64) {
        self.number = number
        self.isReply = isReply
        self.total = total
    }

    /// Parses the payload of an acknowledgement frame.
    ///
    /// - Throws: `badFrame`.
    init(_ header: FrameHeader, payload: UnsafeRawBufferPointer) throws(BLIPError) {
        guard let total = try FrameVarint.decode(payload) else {
            throw BLIPError(.badFrame, "the acknowledgement of message \(header.number) ends within its byte count")
        }
        self.init(number: header.number, isReply: header.kind == .replyACK, total: total.value)
    }

    /// Appends the frame. It has no checksum.
    func append(to bytes: inout [UInt8]) {
        FrameHeader.append(number, isReply ? .replyACK : .requestACK, [.urgent, .noReply], to: &bytes)
        FrameVarint.append(total, to: &bytes)
    }
}
