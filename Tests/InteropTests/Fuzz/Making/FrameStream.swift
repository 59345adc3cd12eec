import BLIP
import Compression

/// The frames of one side of a connection, with valid checksums for any other fault.
struct FrameStream {
    private var checksum = RunningChecksum()

    /// - Parameters:
    ///   - number: The message's number, as on the wire.
    ///   - flags: The message's type in the lowest three bits.
    ///   - payload: Not compressed, for any flags.
    mutating func frame(_ number: [UInt8], _ flags: UInt8, _ payload: [UInt8]) -> [UInt8] {
        payload.withUnsafeBytes { checksum.update($0) }
        return number + [flags] + payload + withUnsafeBytes(of: checksum.value.bigEndian) { Array($0) }
    }

    /// A number of 7 bits a byte.
    static func number(_ value: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = max(0, value)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    /// The payload of a message.
    static func payload(_ message: BLIPMessage) -> [UInt8] {
        let block = message.properties.flatMap { Array("\($0.key)\0\($0.value)\0".utf8) }
        return number(block.count) + block + message.body
    }
}
