import Foundation
import HTTP

/// A port that cannot be listened at.
public struct ListenError: Error, Sendable, CustomStringConvertible {
    public let address: ListenAddress
    public let cause: any Error

    package init(address: ListenAddress, cause: any Error) {
        self.address = address
        self.cause = cause
    }

    /// What happened, where, and what to do.
    public var message: String { "cannot listen at \(address): \(PlainCause.text(cause)). \(advice)" }

    public var description: String { message }

    private var advice: String {
        switch PlainCause.systemError(cause) {
        case EADDRINUSE: "Stop the program that uses the port, or give another address under `listen`"
        case EACCES: "Give a port from 1024 on under `listen`, or the right to listen at this one"
        default: "Give an address of this machine under `listen`"
        }
    }
}
