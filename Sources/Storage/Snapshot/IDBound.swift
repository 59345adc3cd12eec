/// One end of a range of IDs as a value that SQLite compares texts with.
enum IDBound: SQLValue {
    /// Before every text.
    case start
    case text(String)
    /// After every text: SQLite orders blobs behind all texts.
    case end

    func bind(to statement: OpaquePointer, at index: Int32) {
        switch self {
        case .start: "".bind(to: statement, at: index)
        case .text(let text): text.bind(to: statement, at: index)
        case .end: [UInt8]().bind(to: statement, at: index)
        }
    }
}
