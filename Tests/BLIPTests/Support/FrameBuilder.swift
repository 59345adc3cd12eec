import Compression

@testable import BLIP

/// Makes frames, valid or not, with a running checksum as a peer's.
struct FrameBuilder {
    private var checksum = RunningChecksum()

    /// An uncompressed frame.
    mutating func frame(_ number: UInt64, _ flags: UInt8, _ payload: [UInt8]) -> [UInt8] {
        frame(number, flags, wire: payload, plain: payload)
    }

    /// A frame whose payload on the wire differs from its plain one.
    mutating func frame(_ number: UInt64, _ flags: UInt8, wire: [UInt8], plain: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        FrameVarint.append(number, to: &frame)
        frame.append(flags)
        frame += wire
        plain.withUnsafeBytes { checksum.update($0) }
        withUnsafeBytes(of: checksum.value.bigEndian) { frame.append(contentsOf: $0) }
        return frame
    }

    /// The bytes of a whole message.
    static func message(_ properties: BLIPProperties = [:], _ body: [UInt8] = []) -> [UInt8] {
        var bytes: [UInt8] = []
        FrameVarint.append(UInt64(properties.encoded.count), to: &bytes)
        return bytes + properties.encoded + body
    }
}
