extension BLIPConnection {
    /// Takes the next frame from the peer.
    ///
    /// - Returns: What the frame completes, if anything: a frame completes one thing at most.
    /// - Throws: What is wrong with it. The connection is then at an end (``failure``): close it with ``BLIPError/closeCode``.
    package func receive(_ frame: UnsafeRawBufferPointer) throws(BLIPError) -> BLIPEvent? {
        if let failure {
            throw failure
        }
        do {
            return try take(frame)
        } catch {
            failure = error
            throw error
        }
    }

    /// Takes the next frame from the peer, as the method above.
    package func receive(_ frame: [UInt8]) throws(BLIPError) -> BLIPEvent? {
        try frame.withUnsafeBufferPointer { bytes throws(BLIPError) in try receive(UnsafeRawBufferPointer(bytes)) }
    }

    /// Takes the next frame from the peer, as the method above.
    package func receive(_ frame: ArraySlice<UInt8>) throws(BLIPError) -> BLIPEvent? {
        try frame.withUnsafeBufferPointer { bytes throws(BLIPError) in try receive(UnsafeRawBufferPointer(bytes)) }
    }

    /// Says that the bytes of a part have been taken, so that the peer may send more.
    ///
    /// To be called once for every part, the last included, unless the reply is discarded.
    package func acknowledge(_ part: BLIPReplyPart) {
        inbound.acknowledge(part)
    }

    /// Drops what is still to come of the reply to the request with `number`. There will be no event for it.
    package func discardReply(to number: UInt64) {
        inbound.discardReply(number)
    }

    private func take(_ frame: UnsafeRawBufferPointer) throws(BLIPError) -> BLIPEvent? {
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
            outbound.noteAcknowledged(try Acknowledgement(header, payload: content))
            return nil
        case nil:
            return nil
        }
    }
}

/// What a received frame completed.
package enum BLIPEvent: Sendable, Equatable {
    /// A whole request of the peer's. Answer it with its number, unless it wants no reply.
    case request(BLIPMessage)

    /// A whole reply, or an error reply (``BLIPMessage/type`` tells), to the request of ours with the same number.
    case reply(BLIPMessage)

    /// The next part of a reply to a request that was sent with `streamsReply`. An error reply comes as ``reply(_:)`` nevertheless.
    case replyPart(BLIPReplyPart)
}

/// A part of a reply whose body is taken in pieces.
///
/// Give each part back to ``BLIPConnection/acknowledge(_:)`` once its bytes have been taken (written to disk, say): only then does the
/// peer hear that it may send more, so a slow consumer slows the peer down.
package struct BLIPReplyPart: Sendable, Equatable {
    /// The number of the request that this answers.
    package let number: UInt64

    /// The reply's properties, the same in every part.
    package let properties: BLIPProperties

    /// The bytes of the body that follow those of the part before. May be empty.
    package let bytes: [UInt8]

    /// Whether this is the first part.
    package let isFirst: Bool

    /// Whether the body ends here.
    package let isLast: Bool

    /// The bytes received on the wire for this reply up to here, as acknowledgements count them.
    let wireTotal: UInt64
}
