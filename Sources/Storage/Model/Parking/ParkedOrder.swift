/// In which order parked revisions are read.
public enum ParkedOrder: Sendable {
    /// As they were first refused.
    case firstRefused
    /// Those first that were not tried for the longest time.
    case longestUntried
}
