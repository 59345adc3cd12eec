/// The outcome of a soak.
package struct SoakReport: Sendable {
    let bounds: SoakBounds

    /// Of the bridge's process: the most memory in MiB, and of the last process in the second and the last quarter of its time.
    private(set) var memory = 0
    private(set) var memoryThen = 0
    private(set) var memoryLast = 0
    private(set) var descriptors = 0

    /// Of the account of clients' data: the most in bytes, and the limit.
    private(set) var account = 0.0
    private(set) var accountLimit = 0.0
    private(set) var rows: [Row] = []
    private(set) var acknowledged = 0
    private(set) var failures: [String] = []

    /// Descriptors that are still open when the clients are gone, besides those from before.
    var leftDescriptors = 0

    /// Documents that clients lack, and edits that the store lacks.
    package internal(set) var unread: [String] = []
    package internal(set) var lost: [String] = []

    /// After SIGTERM, and of `dualgauge check`.
    var exitCode: Int32 = 0
    var checkCode: Int32 = 0
    var ending = Duration.zero
    var unaskedEnds: [String] = []

    /// Waits in calm, or in one trouble.
    struct Row: Sendable {
        let trouble: Trouble?
        let reads: Stopwatch.Record
        let writes: Stopwatch.Record
    }

    /// A life of a process has to have so many samples before it can be said to be flat.
    private static let enough = 60

    init(_ bounds: SoakBounds) {
        self.bounds = bounds
    }

    mutating func note(_ samples: [Sampler.Sample]) {
        memory = samples.map(\.memory).max() ?? 0
        descriptors = samples.map(\.descriptors).max() ?? 0
        account = samples.compactMap(\.account).max() ?? 0
        accountLimit = samples.compactMap(\.accountLimit).max() ?? 0
        let life = samples.filter { $0.process == samples.last?.process }
        guard life.count >= Self.enough else { return }
        let quarter = life.count / 4
        memoryThen = life[quarter..<quarter * 2].map(\.memory).max() ?? 0
        memoryLast = life[(quarter * 3)...].map(\.memory).max() ?? 0
    }

    mutating func note(_ world: World) {
        acknowledged = world.ledger.acknowledged
        failures = world.commonFailures.map { "\($0.count) \($0.text)" }
        rows = ([nil] + Trouble.allCases).compactMap { trouble in
            let row = Row(
                trouble: trouble, reads: world.stopwatch.record(of: .read, in: trouble),
                writes: world.stopwatch.record(of: .write, in: trouble))
            return trouble == nil || row.reads.waits.count + row.reads.refusals > 0 ? row : nil
        }
    }
}
