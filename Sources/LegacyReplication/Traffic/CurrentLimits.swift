import Synchronization

/// The limits that hold now, for all who ask.
final class CurrentLimits: Sendable {
    private let kept: Mutex<LegacyLimits>

    init(_ limits: LegacyLimits) {
        kept = Mutex(limits)
    }

    var limits: LegacyLimits {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}
