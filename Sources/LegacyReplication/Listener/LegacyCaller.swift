/// Who asks, as far as the 1.x listener has to know.
public struct LegacyCaller: Hashable, Sendable {
    /// Whether he came in by the admin port.
    public var isAdministrator: Bool

    public init(isAdministrator: Bool) {
        self.isAdministrator = isAdministrator
    }
}
