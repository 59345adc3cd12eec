public import Cutover

/// How a database is cut over from its old server: `cutover` of the configuration.
public struct CutoverConfiguration: Hashable, Sendable {
    /// The replication with the old server. The stage says which way it goes.
    public var legacy: String

    /// The replication with the new server, if there is one: the gates ask that it keeps up, too.
    public var modern: String?

    /// Where a database begins that has never been at any stage.
    public var firstStage = CutoverStage.shadow
    public var limits = GateLimits()
    public var hooks = HookConfiguration()

    public init(legacy: String) {
        self.legacy = legacy
    }
}
