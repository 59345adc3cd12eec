import Documents
import Storage

/// A value that can be bound to a statement.
protocol PostgreSQLValue {
    /// The number of its type in PostgreSQL's catalog.
    static var typeID: UInt32 { get }

    /// Adds the value in PostgreSQL's binary format.
    func append(to values: inout StatementValues)
}

/// The values of one statement, in one buffer.
struct StatementValues {
    /// The bytes of a value in the buffer; `nil` for null.
    private(set) var spans: [Range<Int>?] = []
    private(set) var bytes: [UInt8] = []

    mutating func removeAll() {
        spans.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func appendNull() { spans.append(nil) }

    mutating func append(_ value: some Sequence<UInt8>) {
        let start = bytes.count
        bytes.append(contentsOf: value)
        spans.append(start..<bytes.count)
    }

    mutating func append(_ value: Int64) {
        withUnsafeBytes(of: value.bigEndian) { append($0) }
    }

    mutating func append(_ value: Bool) { append(CollectionOfOne(value ? 1 : 0)) }
}

/// The types of PostgreSQL that the schema uses.
private enum TypeID {
    static let boolean: UInt32 = 16
    static let bytes: UInt32 = 17
    static let integer: UInt32 = 20
    static let byteArray: UInt32 = 1001
    static let integerArray: UInt32 = 1016
}

extension Int64: PostgreSQLValue {
    static var typeID: UInt32 { TypeID.integer }
    func append(to values: inout StatementValues) { values.append(self) }
}

extension Int: PostgreSQLValue {
    static var typeID: UInt32 { TypeID.integer }
    func append(to values: inout StatementValues) { values.append(Int64(self)) }
}

extension Bool: PostgreSQLValue {
    static var typeID: UInt32 { TypeID.boolean }
    func append(to values: inout StatementValues) { values.append(self) }
}

/// Texts are bytes in the schema.
extension String: PostgreSQLValue {
    static var typeID: UInt32 { TypeID.bytes }
    func append(to values: inout StatementValues) { values.append(utf8) }
}

extension Array: PostgreSQLValue where Element == UInt8 {
    static var typeID: UInt32 { TypeID.bytes }
    func append(to values: inout StatementValues) { values.append(self) }
}

extension Optional: PostgreSQLValue where Wrapped: PostgreSQLValue {
    static var typeID: UInt32 { Wrapped.typeID }

    func append(to values: inout StatementValues) {
        guard let self else { return values.appendNull() }
        self.append(to: &values)
    }
}

extension SequenceNumber: PostgreSQLValue {
    static var typeID: UInt32 { TypeID.integer }
    func append(to values: inout StatementValues) { values.append(value) }
}

extension DocumentKey: PostgreSQLValue {
    static var typeID: UInt32 { TypeID.integer }
    func append(to values: inout StatementValues) { values.append(value) }
}

extension CollectionKey: PostgreSQLValue {
    static var typeID: UInt32 { TypeID.integer }
    func append(to values: inout StatementValues) { values.append(value) }
}

extension DocumentFlags: PostgreSQLValue {
    static var typeID: UInt32 { TypeID.integer }
    func append(to values: inout StatementValues) { values.append(rawValue) }
}

extension PrincipalKind: PostgreSQLValue {
    static var typeID: UInt32 { TypeID.integer }
    func append(to values: inout StatementValues) { values.append(rawValue) }
}

/// Several texts as one value, for `= ANY`.
struct TextArray: PostgreSQLValue {
    static var typeID: UInt32 { TypeID.byteArray }

    private let texts: Set<[UInt8]>

    init(_ texts: Set<[UInt8]>) {
        self.texts = texts
    }

    func append(to values: inout StatementValues) {
        var elements: [UInt8] = []
        for text in texts {
            withUnsafeBytes(of: Int32(clamping: text.count).bigEndian) { elements.append(contentsOf: $0) }
            elements.append(contentsOf: text)
        }
        values.append(BinaryArray(of: TypeID.bytes, count: texts.count, elements: elements).bytes)
    }
}

/// Several keys as one value, for `= ANY` and `unnest`.
struct KeyArray: PostgreSQLValue {
    static var typeID: UInt32 { TypeID.integerArray }

    private let keys: [Int64]

    init(_ keys: Set<DocumentKey>) {
        self.keys = keys.map(\.value)
    }

    init(_ keys: [Int64]) {
        self.keys = keys
    }

    func append(to values: inout StatementValues) {
        var elements: [UInt8] = []
        for key in keys {
            withUnsafeBytes(of: Int32(8).bigEndian) { elements.append(contentsOf: $0) }
            withUnsafeBytes(of: key.bigEndian) { elements.append(contentsOf: $0) }
        }
        values.append(BinaryArray(of: TypeID.integer, count: keys.count, elements: elements).bytes)
    }
}

/// PostgreSQL's binary format of an array with one dimension.
struct BinaryArray {
    private(set) var bytes: [UInt8] = []

    /// - Parameter elements: The length of each element in four bytes, or -1 for null, and its bytes.
    init(of type: UInt32, count: Int, elements: [UInt8]) {
        bytes.reserveCapacity(elements.count + 20)
        // The number of dimensions, whether there may be nulls, and the type; then the length of the dimension and its first index.
        for number in count == 0 ? [0, 0, Int(type)] : [1, 1, Int(type), count, 1] {
            withUnsafeBytes(of: Int32(clamping: number).bigEndian) { bytes.append(contentsOf: $0) }
        }
        bytes.append(contentsOf: elements)
    }

    /// The type of arrays of a type.
    static func type(of element: UInt32) -> UInt32 { element == TypeID.integer ? TypeID.integerArray : TypeID.byteArray }
}

/// Binds the revision's text.
extension RevisionID: PostgreSQLValue {
    static var typeID: UInt32 { TypeID.bytes }

    func append(to values: inout StatementValues) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        append(to: &bytes)
        values.append(bytes)
    }
}
