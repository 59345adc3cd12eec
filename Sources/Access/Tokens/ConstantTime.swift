/// Comparison of secrets.
enum ConstantTime {
    /// Whether two texts are the same, in a time that tells their lengths at most.
    static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
