/// How a replicator says who it is: ``BasicAuthenticator``, ``SessionAuthenticator`` or ``ClientCertificateAuthenticator``.
public protocol Authenticator: Sendable {}
