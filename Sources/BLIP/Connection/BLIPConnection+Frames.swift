extension BLIPConnection {
    /// The next frame to send as one binary WebSocket message, or `nil` if there is none now.
    public func nextFrame() -> [UInt8]? {
        var frame: [UInt8] = []
        return appendNextFrame(to: &frame) > 0 ? frame : nil
    }

    /// Appends the next frame to a buffer, whose memory the host may use again and again.
    ///
    /// Acknowledgements go first, then messages in turn, a frame each, urgent ones before the others. A frame has at most 16,384 bytes,
    /// which is half of what Sync Gateway takes.
    ///
    /// - Returns: How many bytes the frame has; 0 if there is nothing to send now.
    public func appendNextFrame(to buffer: inout [UInt8]) -> Int {
        guard failure == nil else { return 0 }
        let start = buffer.count
        if let acknowledgement = inbound.nextAcknowledgement() {
            acknowledgement.append(to: &buffer)
            return buffer.count - start
        }
        do {
            guard let (message, isLast) = try outbound.appendNextFrame(to: &buffer) else { return 0 }
            if isLast, message.type == .request, !message.flags.contains(.noReply) {
                inbound.awaitReply(to: message.number, isStreamed: message.streamsReply)
            }
            return buffer.count - start
        } catch {
            // Only zlib without memory gets here. The stream is broken in the middle of a frame.
            failure = error
            buffer.removeSubrange(start...)
            return 0
        }
    }
}
