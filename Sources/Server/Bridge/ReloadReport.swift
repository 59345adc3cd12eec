/// What a new configuration has changed in a running bridge.
public struct ReloadReport: Sendable, Equatable {
    /// The databases that are served now and were not.
    public internal(set) var added: [String] = []

    /// The databases that were configured anew, their replications among it.
    public internal(set) var changed: [String] = []

    /// The databases that are served no more. Their stores stay.
    public internal(set) var removed: [String] = []

    /// Why databases are not what the configuration says, by name. They go on as they were.
    public internal(set) var failed: [String: String] = [:]

    /// The settings that hold from the next start on only, as the file has them: `listen.public`.
    public internal(set) var waiting: [String] = []

    /// Whether new connections get the certificate that was read now.
    public internal(set) var renewedCertificate = false

    public init() {}
}
