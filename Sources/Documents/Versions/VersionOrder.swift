/// How two vectors of a document stand to each other.
public enum VersionOrder: Hashable, Sendable {
    case same
    /// The first takes in the second.
    case newer
    /// The second takes in the first.
    case older
    /// Each has something that the other does not know.
    case conflicting
}

extension VersionVector {
    /// How this one stands to another.
    public func order(to other: VersionVector) -> VersionOrder {
        switch (contains(other), other.contains(self)) {
        case (true, true): .same
        case (true, false): .newer
        case (false, true): .older
        case (false, false): .conflicting
        }
    }
}
