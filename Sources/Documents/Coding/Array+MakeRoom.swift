extension [UInt8] {
    /// Makes room for more bytes, at least doubling what there is: `reserveCapacity` alone grows by no more than it is told, which makes
    /// appending many pieces quadratic.
    mutating func makeRoom(for more: Int) {
        if capacity - count < more { reserveCapacity(Swift.max(count + more, 2 * capacity)) }
    }
}
