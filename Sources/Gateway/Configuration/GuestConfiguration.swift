/// What somebody may do who does not log in.
public struct GuestConfiguration: Hashable, Sendable {
    public var isEnabled: Bool
    public var channels: [String]

    public init(isEnabled: Bool = false, channels: [String] = []) {
        self.isEnabled = isEnabled
        self.channels = channels
    }
}
