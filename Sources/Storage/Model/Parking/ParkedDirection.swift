/// Which way a parked revision was to go.
public enum ParkedDirection: Int64, Sendable, CaseIterable {
    /// From here to the other side, which has refused it.
    case push = 0
    /// From the other side to here.
    case pull = 1
}
