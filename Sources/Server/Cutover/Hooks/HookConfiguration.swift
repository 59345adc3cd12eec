/// Programs that are run before and after each step of a cutover.
public struct HookConfiguration: Hashable, Sendable {
    /// Run one after the other before anything is changed; the first that fails stops the step.
    public var before: [String] = []

    /// Run when the step has been taken. That one fails is told, and changes nothing.
    public var after: [String] = []

    /// How many seconds each may take.
    public var timeout: Int64 = 60

    public init() {}
}
