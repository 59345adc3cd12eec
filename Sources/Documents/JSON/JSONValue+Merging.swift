extension JSONValue {
    /// An object with the members of both; of two with one key the other one's. What is no object gives way to the other.
    public func merging(_ other: JSONValue) -> JSONValue {
        guard case .object(let mine) = self, case .object(let others) = other else { return other }
        let keys = Set(others.map { ExactString($0.key) })
        return .object(mine.filter { !keys.contains(ExactString($0.key)) } + others)
    }
}
