extension Inbound {
    /// Notes that the host has taken a part's bytes, and acknowledges them to the peer when enough have come together.
    mutating func acknowledge(_ part: BLIPReplyPart) {
        guard let index = awaited.index(forKey: part.number), !awaited.values[index].isDiscarded else { return }
        let count = min(part.bytes.count, awaited.values[index].unconsumedBytes)
        awaited.values[index].unconsumedBytes -= count
        release(count)
        if awaited.values[index].isComplete {
            if awaited.values[index].unconsumedBytes == 0 {
                awaited.remove(at: index)
            }
        } else if let acknowledgement = awaited.values[index].message?.acknowledgement(of: part.wireTotal) {
            acknowledge(acknowledgement)
        }
    }

    /// Gives up a reply: what comes of it is dropped, and acknowledged so that it comes to an end.
    mutating func discardReply(_ number: UInt64) {
        guard let index = awaited.index(forKey: number) else { return }
        release(awaited.values[index].unconsumedBytes)
        awaited.values[index].unconsumedBytes = 0
        guard !awaited.values[index].isComplete else {
            awaited.remove(at: index)
            return
        }
        awaited.values[index].isDiscarded = true
        let total = awaited.values[index].message?.wireTotal ?? 0
        if let acknowledgement = awaited.values[index].message?.acknowledgement(of: total) {
            acknowledge(acknowledgement)
        }
    }
}
