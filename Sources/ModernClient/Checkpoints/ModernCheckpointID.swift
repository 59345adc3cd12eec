import Crypto
import Foundation
import Gateway

/// The name of a collection's checkpoint, in the local database and on the server, as LiteCore computes it
/// (docs/protocol/modern-2x.md#checkpoint-ids).
///
/// For the default collection the name is the same for a push and a pull; for other collections it differs.
struct ModernCheckpointID: Sendable {
    /// The local database's private UUID, 16 bytes.
    let database: [UInt8]
    let collection: CollectionName
    let type: ReplicatorType

    /// The URL of the server, with its port and `/_blipsync`.
    let remote: String
    var channels: [String] = []
    var documentIDs: [String] = []

    /// The value of the property `client`.
    var text: String {
        let isDefault = collection == .default
        var items: [FleeceEncoder.Value] = [.string(database)]
        if !isDefault {
            items += [.string(collection.name), .string(collection.scope), .bool(type.pulls), .bool(type.pushes)]
        }
        items.append(.string(remote))
        if !channels.isEmpty || !documentIDs.isEmpty {
            items += [list(channels), .null, .null, list(documentIDs)]
        }
        let encoded = FleeceEncoder.encode(.array(items))
        let hash = isDefault ? Data(Insecure.SHA1.hash(data: encoded)) : Data(SHA256.hash(data: encoded))
        return "cp-" + hash.base64EncodedString()
    }

    private func list(_ strings: [String]) -> FleeceEncoder.Value {
        strings.isEmpty ? .null : .array(strings.map { .string($0) })
    }
}

/// Encodes the kinds of Fleece values that a checkpoint's ID is hashed from, byte for byte as LiteCore does (fleece, Encoder.cc).
struct FleeceEncoder {
    /// A value to write.
    indirect enum Value {
        case null
        case bool(Bool)
        case string([UInt8])
        case array([Value])

        static func string(_ text: String) -> Value { .string(Array(text.utf8)) }
    }

    /// An item of an array: an inline value of two bytes, or the offset of a value that was written before.
    private enum Item {
        case inline(UInt8, UInt8)
        case pointer(Int)
    }

    /// The maximum length of a string that is shared. Longer strings are written at each occurrence.
    private static let longestShared = 15

    private var output: [UInt8] = []
    private var shared: [[UInt8]: Int] = [:]

    static func encode(_ value: Value) -> [UInt8] {
        var encoder = FleeceEncoder()
        let root = encoder.write(value)
        encoder.pad()
        encoder.append(root)
        return encoder.output
    }

    private mutating func write(_ value: Value) -> Item {
        switch value {
        case .null: .inline(0x30, 0)
        case .bool(let value): .inline(value ? 0x38 : 0x34, 0)
        case .string(let bytes): write(bytes)
        case .array(let values): write(values)
        }
    }

    private mutating func write(_ bytes: [UInt8]) -> Item {
        guard bytes.count > 1 else { return .inline(0x40 | UInt8(bytes.count), bytes.first ?? 0) }
        if let place = shared[bytes] { return .pointer(place) }
        pad()
        let place = output.count
        output.append(0x40 | UInt8(min(bytes.count, 15)))
        if bytes.count >= 15 { appendVarint(bytes.count) }
        output.append(contentsOf: bytes)
        if bytes.count <= Self.longestShared { shared[bytes] = place }
        return .pointer(place)
    }

    private mutating func write(_ values: [Value]) -> Item {
        guard !values.isEmpty else { return .inline(0x60, 0) }
        let items = values.map { write($0) }
        pad()
        let place = output.count
        // More than 2,046 items need a longer header.
        let count = min(items.count, 0x7ff)
        output.append(0x60 | UInt8(count >> 8))
        output.append(UInt8(count & 0xff))
        if count == 0x7ff { appendVarint(items.count - count) }
        pad()
        for item in items { append(item) }
        return .pointer(place)
    }

    private mutating func append(_ item: Item) {
        switch item {
        case .inline(let first, let second): output += [first, second]
        case .pointer(let place):
            // LiteCore writes wider pointers beyond 32 KiB. This affects only IDs of thousands of channels or documents. They are stable,
            // but differ from LiteCore's.
            let offset = (output.count - place) / 2
            output += [0x80 | UInt8(truncatingIfNeeded: offset >> 8), UInt8(truncatingIfNeeded: offset)]
        }
    }

    private mutating func appendVarint(_ number: Int) {
        var number = number
        while number >= 0x80 {
            output.append(UInt8(number & 0x7f) | 0x80)
            number >>= 7
        }
        output.append(UInt8(number))
    }

    private mutating func pad() {
        if output.count & 1 == 1 { output.append(0) }
    }
}
