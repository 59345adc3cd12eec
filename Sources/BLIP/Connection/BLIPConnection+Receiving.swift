extension BLIPConnection {
    /// Receives the next frame from the peer.
    ///
    /// - Returns: The message or part that the frame completes, if any. A frame completes at most one.
    /// - Throws: The error in the frame. The connection has then failed (``failure``): close it with ``BLIPError/closeCode``.
    package func receive(_ frame: UnsafeRawBufferPointer) throws(BLIPError) -> BLIPEvent? {
        if let failure {
            throw failure
        }
        do {
            return try process(frame)
        } catch {
            failure = error
            throw error
        }
    }

    /// Receives the next frame from the peer, like the method above.
    package func receive(_ frame: [UInt8]) throws(BLIPError) -> BLIPEvent? {
        try frame.withUnsafeBufferPointer { bytes throws(BLIPError) in try receive(UnsafeRawBufferPointer(bytes)) }
    }

    /// Receives the next frame from the peer, like the method above.
    package func receive(_ frame: ArraySlice<UInt8>) throws(BLIPError) -> BLIPEvent? {
        try frame.withUnsafeBufferPointer { bytes throws(BLIPError) in try receive(UnsafeRawBufferPointer(bytes)) }
    }

    /// Acknowledges that a part's bytes have been consumed, so that the peer may send more.
    ///
    /// Call it once for every part, including the last, unless the reply is discarded.
    package func acknowledge(_ part: BLIPReplyPart) {
        inbound.acknowledge(part)
    }

    /// Discards the rest of the reply to the request with `number`. No further event is returned for it.
    package func discardReply(to number: UInt64) {
        inbound.discardReply(number)
    }

    private func process(_ frame: UnsafeRawBufferPointer) throws(BLIPError) -> BLIPEvent? {
        guard frame.count <= limits.maxFrameSize else {
            throw BLIPError(.frameTooLarge, "a frame has \(frame.count) bytes; at most \(limits.maxFrameSize) are allowed")
        }
        let header = try FrameHeader(frame)
        let content = UnsafeRawBufferPointer(rebasing: frame[header.size...])
        switch header.kind {
        case .request:
            return try inbound.receiveRequest(header, content).map(BLIPEvent.request)
        case .reply:
            return try inbound.receiveReply(.reply, header, content)
        case .error:
            return try inbound.receiveReply(.error, header, content)
        case .requestACK, .replyACK:
            outbound.recordAcknowledged(try Acknowledgement(header, payload: content))
            return nil
        case nil:
            return nil
        }
    }
}

/// An event that a received frame completes.
package enum BLIPEvent: Sendable, Equatable {
    /// A complete request from the peer. Reply with its number, unless it wants no reply.
    case request(BLIPMessage)

    /// A complete reply or error reply (see ``BLIPMessage/type``) to this side's request with the same number.
    case reply(BLIPMessage)

    /// The next part of a reply to a request sent with `streamsReply`. An error reply is still returned as ``reply(_:)``.
    case replyPart(BLIPReplyPart)
}

/// A part of a reply whose body is received in parts.
///
/// Pass each part to ``BLIPConnection/acknowledge(_:)`` once its bytes have been consumed, for example written to disk. Only then is the
/// peer allowed to send more, so a slow consumer slows the peer down.
package struct BLIPReplyPart: Sendable, Equatable {
    /// The number of the request that this reply belongs to.
    package let number: UInt64

    /// The reply's properties, the same in every part.
    package let properties: BLIPProperties

    /// The bytes of the body that follow those of the preceding part. May be empty.
    package let bytes: [UInt8]

    /// Whether this is the first part.
    package let isFirst: Bool

    /// Whether this is the last part.
    package let isLast: Bool

    /// The total bytes on the wire of this reply up to this part, as acknowledgements count them.
    let wireTotal: UInt64
}
