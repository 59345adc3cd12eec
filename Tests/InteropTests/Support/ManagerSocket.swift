import Foundation

/// The socket of a service manager, with the received notifications.
final class ManagerSocket: Sendable {
    let path: String
    private let descriptor: Int32

    init(in folder: TemporaryFolder) throws {
        path = "\(folder.path)/notify"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let isBound = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL) }
    }

    deinit { close(descriptor) }

    /// All notifications since the last call.
    func notifications() -> [String] {
        var found: [String] = []
        var bytes = [UInt8](repeating: 0, count: 256)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return found }
            found.append(String(decoding: bytes[..<count], as: UTF8.self))
        }
    }
}
