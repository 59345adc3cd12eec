/// What asking others may take.
public struct VerificationLimits: Hashable, Sendable {
    /// How long a connection may take to come about.
    public var connectTimeout: Duration = .seconds(5)

    /// How long one call may take altogether, waiting for its turn included.
    public var timeout: Duration = .seconds(10)

    /// The most bytes of an answer.
    public var responseSize = 1 << 20

    /// How many calls run at once.
    public var concurrency = 32

    /// How many calls wait for their turn; further ones fail at once.
    public var waiting = 512

    public init() {}
}
