import CAvahi
import Coordination
import Foundation

/// An announcement of a service of this machine, or a search for services, by DNS-SD (RFC 6763) through the Avahi daemon.
///
/// It lasts until ``end()``, or until the object is released, which must not happen in `notify`.
package final class ServiceDiscovery: Sendable {
    /// A change of an announcement or a search.
    package enum Event: Hashable, Sendable {
        /// The service is announced by this name, which has a number if another machine has the wanted name.
        case announced(name: String)
        case found(DiscoveredService)
        case lost(name: String)
        /// All services that are known at present were found; some of them may not be resolved yet.
        case caughtUp
        /// The daemon has ended or refuses. There are no further events.
        case failed(DiscoveryError)
    }

    /// The receiver of the events. The library has its address as long as it may call it.
    private final class Receiver: Sendable {
        let notify: @Sendable (Event) -> Void

        init(_ notify: @escaping @Sendable (Event) -> Void) {
            self.notify = notify
        }
    }

    /// The library's object.
    ///
    /// `@unchecked Sendable`. Proof: this process uses the pointer once, in ``ServiceDiscovery/end()``, which takes it out of a lock; the library
    /// stops its own thread there before it frees the object.
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private let handle: Lock<Handle?>
    private let receiver: Receiver

    /// - Parameter begin: Begins by a call of the library with the callback, its context and a place for the error.
    private init(
        _ notify: @escaping @Sendable (Event) -> Void,
        _ begin: (UnsafeMutableRawPointer, UnsafeMutablePointer<UnsafePointer<CChar>?>) -> OpaquePointer?
    ) throws(DiscoveryError) {
        receiver = Receiver(notify)
        var error: UnsafePointer<CChar>?
        guard let pointer = begin(Unmanaged.passUnretained(receiver).toOpaque(), &error) else {
            throw DiscoveryError(error.map { String(cString: $0) } ?? "no reason is known")
        }
        handle = Lock(Handle(pointer: pointer))
    }

    deinit { end() }

    /// Ends it. There are no events afterwards.
    package func end() {
        guard
            let handle = handle.withLock({ handle in
                defer { handle = nil }
                return handle
            })
        else { return }
        dualgauge_discovery_end(handle.pointer)
    }

    /// Announces a service of this machine.
    ///
    /// - Parameters:
    ///   - name: 1 to 63 bytes, for people.
    ///   - type: Such as `_dualgauge._tcp`.
    ///   - texts: `key=value`, each of at most 255 bytes.
    /// - Throws: ``DiscoveryError``.
    package static func announce(
        name: String, type: ServiceType, port: UInt16, texts: [String], notify: @escaping @Sendable (Event) -> Void
    ) throws(DiscoveryError) -> ServiceDiscovery {
        try ServiceDiscovery(notify) { context, error in
            let copies = texts.map { strdup($0) }
            defer { for copy in copies { free(copy) } }
            return copies.map { $0.map { UnsafePointer($0) } }.withUnsafeBufferPointer {
                dualgauge_discovery_announce(name, type.text, port, $0.baseAddress, $0.count, Self.callback, context, error)
            }
        }
    }

    /// Searches for services of a type.
    ///
    /// - Throws: ``DiscoveryError``.
    package static func browse(_ type: ServiceType, notify: @escaping @Sendable (Event) -> Void) throws(DiscoveryError) -> ServiceDiscovery
    {
        try ServiceDiscovery(notify) { dualgauge_discovery_browse(type.text, Self.callback, $0, $1) }
    }

    private static let callback: dualgauge_discovery_callback = { context, event, name, host, address, port, texts, count in
        guard let context else { return }
        let receiver = Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue()
        func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
        switch event {
        case DUALGAUGE_DISCOVERY_ANNOUNCED: receiver.notify(.announced(name: text(name)))
        case DUALGAUGE_DISCOVERY_FOUND:
            let entries = (0..<count).map { text(texts?[$0]) }
            receiver.notify(
                .found(DiscoveredService(name: text(name), host: text(host), address: text(address), port: port, texts: entries)))
        case DUALGAUGE_DISCOVERY_LOST: receiver.notify(.lost(name: text(name)))
        case DUALGAUGE_DISCOVERY_CAUGHT_UP: receiver.notify(.caughtUp)
        default: receiver.notify(.failed(DiscoveryError(text(name))))
        }
    }
}
