import Documents

/// Converts Fleece to JSON in the same form as LiteCore (fleece, JSONEncoder.cc).
///
/// The input is untrusted: every offset is checked, and the size of the output is limited. The output is always valid JSON.
struct FleeceJSON {
    /// A blob in a document.
    struct Blob: Equatable {
        /// Its JSON Pointer (RFC 6901).
        let pointer: [UInt8]

        /// Its dictionary's JSON within ``FleeceJSON/json``.
        let range: Range<Int>
    }

    /// A path component of the value that is being written.
    private enum Step {
        case key([UInt8])
        case index(Int)
    }

    /// The output.
    private(set) var json: [UInt8] = []

    /// The blobs in the value.
    private(set) var blobs: [Blob] = []

    /// Whether the outermost dictionary has a key that begins with an underscore.
    private(set) var hasReservedKeys = false

    private let keys: SharedKeys
    private let limits: FleeceLimits
    private var path: [Step] = []

    private init(keys: SharedKeys, limits: FleeceLimits) {
        self.keys = keys
        self.limits = limits
    }

    /// Decodes a value and its descendants.
    ///
    /// - Throws: ``FleeceError``.
    static func decode(
        _ fleece: ArraySlice<UInt8>, keys: SharedKeys, limits: FleeceLimits = FleeceLimits()
    ) throws(FleeceError) -> FleeceJSON {
        let result = fleece.withUnsafeBufferPointer { buffer in
            // Typed errors do not pass through the standard library's closures.
            Result<FleeceJSON, FleeceError> { () throws(FleeceError) in
                let bytes = FleeceBytes(buffer)
                var writer = FleeceJSON(keys: keys, limits: limits)
                try writer.write(bytes, try bytes.root())
                return writer
            }
        }
        let decoded = try result.get()
        guard String(validating: decoded.json, as: UTF8.self) != nil else { throw FleeceError("a string is not UTF-8", at: 0) }
        return decoded
    }

    private mutating func write(_ bytes: FleeceBytes, _ value: (offset: Int, end: Int)) throws(FleeceError) {
        let head = try bytes.byte(value.offset, before: value.end)
        switch head >> 4 {
        case 0: JSONWriter.append(try shortInteger(bytes, value), to: &json)
        case 1: try writeInteger(bytes, value, head)
        case 2: try writeDouble(bytes, value, head)
        case 3: writeSpecial(head)
        case 4: JSONWriter.append(utf8: try bytes.text(value.offset, before: value.end), to: &json)
        case 5: try writeData(bytes, value)
        case 6: try writeArray(bytes, value)
        default: try writeDictionary(bytes, value)
        }
        guard json.count <= limits.maximumSize else { throw FleeceError("the JSON would be too large", at: value.offset) }
    }

    /// A signed 12-bit integer.
    private func shortInteger(_ bytes: FleeceBytes, _ value: (offset: Int, end: Int)) throws(FleeceError) -> Int {
        let high = Int(try bytes.byte(value.offset, before: value.end) & 0x0f)
        let number = high << 8 | Int(try bytes.byte(value.offset + 1, before: value.end))
        return number & 0x800 == 0 ? number : number - 0x1000
    }

    private mutating func writeInteger(
        _ bytes: FleeceBytes, _ value: (offset: Int, end: Int), _ head: UInt8
    ) throws(FleeceError) {
        let count = Int(head & 7) + 1
        let number = try bytes.littleEndian(value.offset + 1, count: count, before: value.end)
        if head & 8 != 0 {
            json.append(contentsOf: "\(number)".utf8)
        } else {
            let unused = UInt64(64 - 8 * count)
            JSONWriter.append(Int(Int64(bitPattern: number << unused) >> Int64(unused)), to: &json)
        }
    }

    private mutating func writeDouble(_ bytes: FleeceBytes, _ value: (offset: Int, end: Int), _ head: UInt8) throws(FleeceError) {
        let text: String
        let isFinite: Bool
        if head & 8 != 0 {
            let number = Double(bitPattern: try bytes.littleEndian(value.offset + 2, count: 8, before: value.end))
            (text, isFinite) = ("\(number)", number.isFinite)
        } else {
            let number = Float(
                bitPattern: UInt32(truncatingIfNeeded: try bytes.littleEndian(value.offset + 2, count: 4, before: value.end)))
            // Bit 2: a double that was stored as a float without loss is written with a double's digits.
            (text, isFinite) = (head & 4 != 0 ? "\(Double(number))" : "\(number)", number.isFinite)
        }
        guard isFinite else { throw FleeceError("a number is infinite or not a number, which JSON cannot express", at: value.offset) }
        json.append(contentsOf: text.utf8)
    }

    private mutating func writeSpecial(_ head: UInt8) {
        switch head & 0x0c {
        case 0x04: JSONWriter.append(false, to: &json)
        case 0x08: JSONWriter.append(true, to: &json)
        default: JSONWriter.append(raw: "null", to: &json)
        }
    }

    private mutating func writeData(_ bytes: FleeceBytes, _ value: (offset: Int, end: Int)) throws(FleeceError) {
        json.append(0x22)
        Base64.append(try bytes.text(value.offset, before: value.end), to: &json)
        json.append(0x22)
    }

    private mutating func writeArray(_ bytes: FleeceBytes, _ value: (offset: Int, end: Int)) throws(FleeceError) {
        let items = try bytes.items(value.offset, perItem: 1, before: value.end)
        try descend(value.offset)
        json.append(0x5b)
        for index in 0..<items.count {
            if index > 0 { json.append(0x2c) }
            path[path.count - 1] = .index(index)
            try write(bytes, try bytes.resolve(items.offset(index), width: items.width, before: items.end(index)))
        }
        json.append(0x5d)
        path.removeLast()
    }

    private mutating func writeDictionary(_ bytes: FleeceBytes, _ value: (offset: Int, end: Int)) throws(FleeceError) {
        let items = try bytes.items(value.offset, perItem: 2, before: value.end)
        try descend(value.offset)
        let start = json.count
        var (isBlob, hasDigest) = (false, false)
        json.append(0x7b)
        for index in stride(from: 0, to: items.count, by: 2) {
            if index > 0 { json.append(0x2c) }
            let key = try self.key(bytes, bytes.resolve(items.offset(index), width: items.width, before: items.end(index)))
            key.withUnsafeBufferPointer { JSONWriter.append(utf8: $0, to: &json) }
            json.append(0x3a)
            if path.count == 1, key.first == 0x5f { hasReservedKeys = true }
            path[path.count - 1] = .key(key)
            let valueStart = json.count
            try write(bytes, try bytes.resolve(items.offset(index + 1), width: items.width, before: items.end(index + 1)))
            if key.elementsEqual("@type".utf8) { isBlob = json[valueStart...].elementsEqual("\"blob\"".utf8) }
            if key.elementsEqual("digest".utf8) { hasDigest = true }
        }
        json.append(0x7d)
        path.removeLast()
        if isBlob, hasDigest, !path.isEmpty { blobs.append(Blob(pointer: pointer, range: start..<json.count)) }
    }

    private func key(_ bytes: FleeceBytes, _ value: (offset: Int, end: Int)) throws(FleeceError) -> [UInt8] {
        switch try bytes.byte(value.offset, before: value.end) >> 4 {
        case 0:
            guard let key = keys[try shortInteger(bytes, value)] else {
                throw FleeceError("a key is missing among the database's shared ones", at: value.offset)
            }
            return key
        case 4: return Array(try bytes.text(value.offset, before: value.end))
        default: throw FleeceError("a key is neither a string nor a number", at: value.offset)
        }
    }

    private mutating func descend(_ offset: Int) throws(FleeceError) {
        guard path.count < limits.maximumDepth else { throw FleeceError("arrays and dictionaries are nested too deeply", at: offset) }
        path.append(.index(0))
    }

    private var pointer: [UInt8] {
        var pointer: [UInt8] = []
        for step in path {
            pointer.append(0x2f)
            switch step {
            case .index(let index): pointer.append(contentsOf: "\(index)".utf8)
            case .key(let key):
                for byte in key {
                    switch byte {
                    case 0x7e: pointer.append(contentsOf: "~0".utf8)
                    case 0x2f: pointer.append(contentsOf: "~1".utf8)
                    default: pointer.append(byte)
                    }
                }
            }
        }
        return pointer
    }
}

/// Limits of the JSON output. Several pointers can share one value, so that little Fleece can expand to much JSON.
struct FleeceLimits {
    /// Largest size of the JSON in bytes.
    var maximumSize = 20 << 20

    /// Largest nesting depth of arrays and dictionaries.
    var maximumDepth = JSONReader.defaultMaximumDepth
}
