/// A server that the bridge replicates with.
enum Upstream: String, Sendable, CaseIterable {
    case legacy, modern
}
