import CZlib

extension UnsafeMutablePointer<z_stream> {
    /// What zlib has to say about a status.
    func zlibMessage(_ status: Int32) -> String {
        if let message = pointee.msg {
            return "zlib: \(String(cString: message))"
        }
        return "zlib status \(status)"
    }
}
