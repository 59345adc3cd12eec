import HTTP

extension ReplicationSettings {
    /// What the settings say of TLS.
    ///
    /// - Throws: ``ReplicationError`` with code `untrusted` if a certificate or a key cannot be read.
    var tls: ClientTLS {
        get throws(ReplicationError) {
            var tls = ClientTLS()
            do {
                if let pinnedServerCertificate {
                    tls.trust = .pinned(try ClientTLS.certificates(pinnedServerCertificate)[0])
                } else if selfSignedServersOnly {
                    tls.trust = .selfSignedOnly
                }
            } catch {
                throw ReplicationError(.untrusted, "The pinned certificate cannot be read; it has to be in PEM or DER", cause: error)
            }
            do {
                tls.identity = try clientIdentity.map { try ClientTLS.Identity(chain: $0.certificateChain, key: $0.privateKey) }
            } catch {
                throw ReplicationError(
                    .untrusted, "The client certificate cannot be read; it has to be in PEM or DER, and its key in PEM", cause: error)
            }
            return tls
        }
    }
}
