/// The messages with a frame to send, in sending order.
struct OutgoingQueue {
    private var messages: [OutgoingMessage?] = []
    private var head = 0

    var isEmpty: Bool {
        head == messages.count
    }

    /// Whether the next message is urgent.
    var isNextUrgent: Bool {
        !isEmpty && messages[head]?.isUrgent == true
    }

    func contains(where predicate: (OutgoingMessage) -> Bool) -> Bool {
        messages[head...].contains { $0.map(predicate) ?? false }
    }

    /// Removes and returns the next message.
    mutating func popFirst() -> OutgoingMessage? {
        guard !isEmpty else { return nil }
        let message = messages[head].take()
        head += 1
        if head == messages.count {
            messages.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64, head * 2 >= messages.count {
            messages.removeSubrange(..<head)
            head = 0
        }
        return message
    }

    /// Releases the memory of a queue that was long.
    mutating func releaseMemory() {
        if messages.isEmpty { messages = [] }
    }

    /// Inserts a message.
    ///
    /// - A normal message goes last.
    /// - An urgent message goes after the last urgent one, with one normal message in between.
    /// - A new message never overtakes another new one, so that first frames are sent in the order of message numbers
    ///   (docs/protocol/modern-2x.md#frame-order).
    mutating func insert(_ message: OutgoingMessage) {
        guard message.isUrgent else {
            messages.append(message)
            return
        }
        var position = messages.count
        while position > head, let earlier = messages[position - 1] {
            if earlier.isUrgent {
                position = min(position + 1, messages.count)
                break
            }
            if message.isNew, earlier.isNew {
                break
            }
            position -= 1
        }
        if position == head {
            position = min(head + 1, messages.count)
        }
        messages.insert(message, at: position)
    }
}
