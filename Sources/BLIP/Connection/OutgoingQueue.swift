/// The messages that have a frame to send, in the order in which they do.
struct OutgoingQueue {
    private var messages: [OutgoingMessage?] = []
    private var head = 0

    var isEmpty: Bool {
        head == messages.count
    }

    /// Whether the message that is next is urgent.
    var isNextUrgent: Bool {
        !isEmpty && messages[head]?.isUrgent == true
    }

    func contains(where predicate: (OutgoingMessage) -> Bool) -> Bool {
        messages[head...].contains { $0.map(predicate) ?? false }
    }

    /// Takes the next message.
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

    /// Gives back the memory of a queue that was long.
    mutating func releaseMemory() {
        if messages.isEmpty { messages = [] }
    }

    /// Puts a message in its place.
    ///
    /// A normal one goes last. An urgent one goes after the last urgent one, leaving one normal message between; but a new one never
    /// passes another that is new, so that first frames go out in the order of message numbers (docs/protocol/modern-2x.md#frame-order).
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
