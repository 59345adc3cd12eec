/// Which way a step goes.
public enum CutoverAction: String, Hashable, Sendable, CaseIterable {
    case advance
    case reverse
}
