import Authentication
import Coordination

/// A clock that advances only on request.
final class TestClock: Sendable {
    private let time = Lock<Int64>(1_700_000_000_000)

    var clock: AccessClock { AccessClock { [self] in time.withLock { $0 } } }

    func advance(seconds: Int64) {
        time.withLock { $0 += seconds * 1000 }
    }
}
