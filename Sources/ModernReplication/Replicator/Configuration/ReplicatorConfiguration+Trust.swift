extension ReplicatorConfiguration {
    /// Which server is trusted, where the connection uses TLS: ``pinnedServerCertificate`` and
    /// ``acceptOnlySelfSignedServerCertificate`` in one word.
    public var serverCertificatePolicy: ServerCertificatePolicy {
        get {
            if let pinnedServerCertificate { return .pinned(pinnedServerCertificate) }
            return acceptOnlySelfSignedServerCertificate ? .selfSignedOnly : .system
        }
        set {
            pinnedServerCertificate = if case .pinned(let certificate) = newValue { certificate } else { nil }
            acceptOnlySelfSignedServerCertificate = newValue == .selfSignedOnly
        }
    }
}
