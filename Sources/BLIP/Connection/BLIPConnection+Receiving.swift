extension BLIPConnection {
    /// Takes the next frame from the peer.
    ///
    /// - Returns: What the frame completes, if anything: a frame completes one thing at most.
    /// - Throws: What is wrong with it. The connection is then at an end (``failure``): close it with ``BLIPError/closeCode``.
    public func receive(_ frame: UnsafeRawBufferPointer) throws(BLIPError) -> BLIPEvent? {
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
    public func receive(_ frame: [UInt8]) throws(BLIPError) -> BLIPEvent? {
        try frame.withUnsafeBufferPointer { bytes throws(BLIPError) in try receive(UnsafeRawBufferPointer(bytes)) }
    }

    /// Takes the next frame from the peer, as the method above.
    public func receive(_ frame: ArraySlice<UInt8>) throws(BLIPError) -> BLIPEvent? {
        try frame.withUnsafeBufferPointer { bytes throws(BLIPError) in try receive(UnsafeRawBufferPointer(bytes)) }
    }

    /// Says that the bytes of a part have been taken, so that the peer may send more.
    ///
    /// To be called once for every part, the last included, unless the reply is discarded.
    public func acknowledge(_ part: BLIPReplyPart) {
        inbound.acknowledge(part)
    }

    /// Drops what is still to come of the reply to the request with `number`. There will be no event for it.
    public func discardReply(to number: UInt64) {
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
