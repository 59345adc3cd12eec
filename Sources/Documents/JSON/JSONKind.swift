/// The kinds of JSON value.
public enum JSONKind: Hashable, Sendable {
    case null, bool, number, string, array, object

    init?(firstByte: UInt8) {
        switch firstByte {
        case 0x22: self = .string
        case 0x7b: self = .object
        case 0x5b: self = .array
        case 0x2d, 0x30...0x39: self = .number
        case 0x74, 0x66: self = .bool
        case 0x6e: self = .null
        default: return nil
        }
    }
}
