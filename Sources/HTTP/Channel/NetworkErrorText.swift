import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Readable messages for errors of the network libraries, without names of functions and types.
package enum NetworkErrorText {
    package static func text(_ error: any Error) -> String {
        switch error {
        case let error as IOError: system(error.errnoCode)
        case let error as POSIXError: system(error.code.rawValue)
        case let error as NIOConnectionError: connection(error)
        case let error as SocketAddressError.UnknownHost: "the host \(error.host) has no known address"
        case let error as ChannelError: channel(error)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: tls(error)
        default: other("\(error)")
        }
    }

    /// The `errno` of an error, if it has one.
    package static func systemError(_ error: any Error) -> Int32? {
        switch error {
        case let error as IOError: error.errnoCode
        case let error as POSIXError: error.code.rawValue
        case let error as NIOConnectionError: error.connectionErrors.lazy.compactMap { systemError($0.error) }.first
        default: nil
        }
    }

    private static func system(_ number: Int32) -> String {
        let text = String(cString: strerror(number))
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    private static func connection(_ error: NIOConnectionError) -> String {
        guard !error.connectionErrors.isEmpty else { return "the host \(error.host) has no known address" }
        var texts: [String] = []
        for single in error.connectionErrors.map({ text($0.error) }) where !texts.contains(single) { texts.append(single) }
        return texts.joined(separator: ", ")
    }

    private static func channel(_ error: ChannelError) -> String {
        switch error {
        case .connectTimeout: "no answer in time"
        case .eof, .alreadyClosed, .ioOnClosedChannel, .inputClosed, .outputClosed: "the connection was closed"
        default: "the connection failed"
        }
    }

    /// Extracts the reason, which the TLS library writes in capitals: `CERTIFICATE_VERIFY_FAILED`.
    private static func tls(_ error: any Error) -> String {
        let words = "\(error)".split { !($0.isASCII && ($0.isUppercase || $0 == "_")) }.filter { $0.contains("_") && $0.count > 4 }
        if let reason = words.last { return "TLS: " + reason.lowercased().replacing("_", with: " ") }
        let name = "\(error)".prefix { $0.isLetter }
        return name.isEmpty ? "TLS failed" : "TLS: " + separated(name)
    }

    /// Converts `HTTPClientError.remoteConnectionClosed` to "remote connection closed".
    private static func other(_ text: String) -> String {
        let prefix = "HTTPClientError."
        return text.hasPrefix(prefix) ? separated(text.dropFirst(prefix.count)) : text
    }

    /// The words of a name such as `failedToLoadCertificate`.
    private static func separated(_ name: Substring) -> String {
        name.reduce(into: "") { words, character in words += character.isUppercase ? " \(character.lowercased())" : "\(character)" }
    }
}
