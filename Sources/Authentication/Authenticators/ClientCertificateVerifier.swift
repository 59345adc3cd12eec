package import Access

/// Maps a client certificate from the TLS handshake to a user. The handshake has checked that the client has the certificate's key and that the
/// configured authority signed it.
package struct ClientCertificateVerifier: TokenVerifier {
    private let configuration: ClientCertificateConfiguration
    private let clock: AccessClock

    package init(_ configuration: ClientCertificateConfiguration, clock: AccessClock = .system) {
        self.configuration = configuration
        self.clock = clock
    }

    package var authenticator: AuthenticatorKind { .clientCertificate }

    /// - Parameter der: The client's own certificate, the first of its chain, in DER.
    package func verify(_ der: [UInt8]) async throws(LoginError) -> VerifiedIdentity {
        try identity(of: try CertificateFields(der: der))
    }

    /// The identity of a certificate's user.
    ///
    /// - Throws: ``LoginError`` `refused`.
    package func identity(of fields: CertificateFields) throws(LoginError) -> VerifiedIdentity {
        let now = clock.seconds
        guard fields.validFrom <= now, now < fields.validTo else { throw Self.refused("is not valid at this time") }
        guard fields.isForClients else { throw Self.refused("is not a client certificate") }
        let names = names(in: fields)
        guard let value = names.first, names.count == 1 else {
            throw Self.refused("has \(names.isEmpty ? "no" : "several") \(configuration.field.rawValue) fields, and has to have one")
        }
        guard value.utf8.count >= configuration.prefix.utf8.count + configuration.suffix.utf8.count,
            value.utf8.starts(with: configuration.prefix.utf8), value.utf8.reversed().starts(with: configuration.suffix.utf8.reversed())
        else { throw Self.refused("lacks the configured prefix or suffix of user names") }
        let bytes = value.utf8.dropFirst(configuration.prefix.utf8.count).dropLast(configuration.suffix.utf8.count)
        guard let text = String(bytes), let userName = LoginName(text) else {
            throw Self.refused("has a name that is not a valid user name")
        }
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

/// The configuration of logins with client certificates.
package struct ClientCertificateConfiguration: Hashable, Sendable {
    /// The field with the user's name.
    package enum Field: String, Hashable, Sendable, CaseIterable {
        /// The subject's common name.
        case commonName
        /// The email in the subject alternative names.
        case email
        /// The DNS name in the subject alternative names.
        case dns
        /// The URI in the subject alternative names.
        case uri
    }

    package var field = Field.commonName

    /// A required prefix of the field, which is removed. A certificate without it is refused.
    package var prefix = ""

    /// A required suffix of the field, which is removed.
    package var suffix = ""

    /// Whether a new user is created at the first login.
    package var registers = false

    package init() {}
}
