/// How many wrong passwords are taken before the next is refused unseen.
public struct LoginLimits: Hashable, Sendable {
    /// A bucket of tokens: a wrong password takes one, and they come back with time.
    public struct Bucket: Hashable, Sendable {
        public var capacity: Double
        public var tokensPerSecond: Double

        public init(capacity: Double, tokensPerSecond: Double) {
            self.capacity = capacity
            self.tokensPerSecond = tokensPerSecond
        }
    }

    /// Of one user from one address. Old clients open a dozen connections at once, all with the same password.
    public var pair = Bucket(capacity: 30, tokensPerSecond: 0.1)

    /// Of one user from anywhere: many machines that guess together. It is wide, because who fills it shuts the user's new logins out.
    public var user = Bucket(capacity: 200, tokensPerSecond: 1)

    /// Of one address for any users. A proxy is one address.
    public var address = Bucket(capacity: 300, tokensPerSecond: 3)

    public init() {}
}
