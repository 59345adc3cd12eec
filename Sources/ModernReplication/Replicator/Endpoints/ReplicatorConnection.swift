/// An open connection to the other side.
public struct ReplicatorConnection: Sendable {
    public let socket: any MessageSocket
    public let subprotocol: Subprotocol

    /// The certificate, in DER, that the other side has shown.
    let serverCertificate: [UInt8]?

    /// The code with which the other side has closed; `nil` where the transport has none.
    let closeCode: @Sendable () async -> (code: Int, reason: String)?

    /// - Parameters:
    ///   - serverCertificate: The certificate, in DER, that the other side has shown.
    ///   - closeCode: What the other side said when it closed: a WebSocket close code and a reason.
    public init(
        socket: any MessageSocket, subprotocol: Subprotocol, serverCertificate: [UInt8]? = nil,
        closeCode: @escaping @Sendable () async -> (code: Int, reason: String)? = { nil }
    ) {
        self.socket = socket
        self.subprotocol = subprotocol
        self.serverCertificate = serverCertificate
        self.closeCode = closeCode
    }
}
