extension Inbound {
    /// Receives a frame of a request.
    ///
    /// - Returns: The request, if this was its last frame.
    mutating func receiveRequest(_ header: FrameHeader, _ content: UnsafeRawBufferPointer) throws(BLIPError) -> BLIPMessage? {
        if let index = requests.index(forKey: header.number) {
            return try continueRequest(at: index, header, content)
        }
        guard header.number == newestRequest &+ 1 else {
            throw BLIPError(
                .badMessageNumber, "the peer begins request \(header.number), but the next number is \(newestRequest &+ 1)")
        }
        newestRequest = header.number
        var request = IncomingMessage(header, type: .request)
        try request.append(decoder.decode(content, header, room: request.room(limits)), wireCount: content.count, limits)
        guard header.flags.contains(.moreComing) else {
            return try complete(request)
        }
        try checkOpenMessages()
        try addBuffered(request.bufferedBytes)
        if let acknowledgement = request.acknowledgement(of: request.wireTotal) {
            acknowledge(acknowledgement)
        }
        requests[header.number] = request
        return nil
    }

    private mutating func continueRequest(
        at index: Dictionary<UInt64, IncomingMessage>.Index, _ header: FrameHeader, _ content: UnsafeRawBufferPointer,
    ) throws(BLIPError) -> BLIPMessage? {
        let buffered = requests.values[index].bufferedBytes
        let plain = try decoder.decode(content, header, room: requests.values[index].room(limits))
        try requests.values[index].append(plain, wireCount: content.count, limits)
        guard header.flags.contains(.moreComing) else {
            removeBuffered(buffered)
            return try complete(requests.remove(at: index).value)
        }
        try addBuffered(requests.values[index].bufferedBytes - buffered)
        let total = requests.values[index].wireTotal
        if let acknowledgement = requests.values[index].acknowledgement(of: total) {
            acknowledge(acknowledgement)
        }
        return nil
    }

    private mutating func complete(_ request: consuming IncomingMessage) throws(BLIPError) -> BLIPMessage {
        let message = try request.finish()
        if !message.noReply {
            addUnanswered(message)
        }
        return message
    }
}
