/// Comparison of secrets.
enum ConstantTime {
    /// Whether the bytes are equal. The duration depends only on their number.
    static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        var difference: UInt8 = 0
        for index in a.indices { difference |= a[index] ^ b[index] }
        return difference == 0
    }
}
