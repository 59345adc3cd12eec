/// A dictionary that removes its oldest entry when it is full.
package struct BoundedCache<Key: Hashable, Value> {
    private let capacity: Int
    private var entries: [Key: Value] = [:]

    /// The keys in order of insertion. When the cache is full, the oldest is at `next`, and a new key replaces it.
    private var ring: [Key] = []
    private var next = 0

    package init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    package var count: Int { entries.count }

    package subscript(key: Key) -> Value? { entries[key] }

    package mutating func insert(_ value: Value, for key: Key) {
        guard entries.updateValue(value, forKey: key) == nil else { return }
        guard ring.count == capacity else {
            ring.append(key)
            return
        }
        entries[ring[next]] = nil
        ring[next] = key
        next = (next + 1) % capacity
    }
}
