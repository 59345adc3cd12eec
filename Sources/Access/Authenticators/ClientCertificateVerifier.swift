/// Makes a user of the certificate that a client showed in the TLS handshake. The handshake has made sure that the client has its key and that the
/// configured authority has signed it; here it is decided whose it is.
public struct ClientCertificateVerifier: TokenVerifier {
    private let configuration: ClientCertificateConfiguration
    private let clock: AccessClock

    public init(_ configuration: ClientCertificateConfiguration, clock: AccessClock = .system) {
        self.configuration = configuration
        self.clock = clock
    }

    public var authenticator: Authenticator { .clientCertificate }

    /// - Parameter der: the client's own certificate, the first of its chain, in DER.
    public func verify(_ der: [UInt8]) async throws(LoginError) -> VerifiedIdentity {
        try identity(of: try CertificateFields(der: der))
    }

    /// Who a certificate is for.
    ///
    /// - Throws: ``LoginError`` `refused`.
    public func identity(of fields: CertificateFields) throws(LoginError) -> VerifiedIdentity {
        let now = clock.seconds
        guard fields.validFrom <= now, now < fields.validTo else { throw Self.refused("is not valid at this time") }
        guard fields.isForClients else { throw Self.refused("is not for clients") }
        let names = names(in: fields)
        guard let value = names.first, names.count == 1 else {
            throw Self.refused("has \(names.isEmpty ? "no" : "several") \(configuration.field.rawValue) fields, and has to have one")
        }
        guard value.utf8.count >= configuration.prefix.utf8.count + configuration.suffix.utf8.count,
            value.utf8.starts(with: configuration.prefix.utf8), value.utf8.reversed().starts(with: configuration.suffix.utf8.reversed())
        else { throw Self.refused("is not a user's") }
        let bytes = value.utf8.dropFirst(configuration.prefix.utf8.count).dropLast(configuration.suffix.utf8.count)
        guard let text = String(bytes), let userName = LoginName(text) else { throw Self.refused("has a name that no user can have") }
        var identity = VerifiedIdentity(authenticator: authenticator, userName: userName, subject: value)
        identity.email = fields.emails.count == 1 ? fields.emails.first : nil
        identity.isEmailVerified = identity.email != nil
        identity.mayRegister = configuration.registers
        identity.expires = fields.validTo
        return identity
    }

    private func names(in fields: CertificateFields) -> [String] {
        switch configuration.field {
        case .commonName: fields.commonNames
        case .email: fields.emails
        case .dns: fields.dnsNames
        case .uri: fields.uris
        }
    }

    private static func refused(_ reason: String) -> LoginError {
        LoginError(.refused, "The client's certificate \(reason)")
    }
}

/// What the configuration says of logins with client certificates.
public struct ClientCertificateConfiguration: Hashable, Sendable {
    /// Which field names the user.
    public enum Field: String, Hashable, Sendable, CaseIterable {
        /// The subject's common name.
        case commonName
        /// The alternative name that is an e-mail address.
        case email
        /// The alternative name that is a host's.
        case dns
        /// The alternative name that is a URI.
        case uri
    }

    public var field = Field.commonName

    /// What comes before the user's name in the field, and is taken off; a certificate without it is not a user's.
    public var prefix = ""

    /// What comes after the user's name in the field, likewise.
    public var suffix = ""

    /// Whether a new user is created at the first login.
    public var registers = false

    public init() {}
}
