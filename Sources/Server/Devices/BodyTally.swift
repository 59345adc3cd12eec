import HTTP
import LegacyProtocol
import NIOCore

/// Counts the documents in a body that passes by, which may be compressed.
struct BodyTally {
    /// The most bytes that are decompressed at once.
    private static let slice = 1 << 10

    enum Form: Sendable {
        /// The documents of a request: `{"docs":[{}]}`, or the results of a response: `{"results":[{}]}`.
        case items
        /// The parts of a multipart body.
        case parts(MultipartBoundary)
        /// The rows of a response to `_bulk_docs`.
        case rows
    }

    /// The documents of a body.
    struct Documents: Hashable, Sendable {
        var count = 0
        var refused = 0
        var conflicts = 0
    }

    private enum Counter {
        case items(ItemCounter)
        case parts(PartCounter)
        case rows(RowCounter)
        /// The body cannot be counted.
        case nothing
    }

    private var counter: Counter
    private var inflater: Inflater?

    /// - Parameters:
    ///   - encoding: The body's `Content-Encoding`.
    ///   - limit: The most bytes of a compressed body that are examined, so that a small body cannot cost much time.
    init(_ form: Form, encoding: String?, limit: Int = 64 << 20) {
        counter =
            switch form {
            case .items: .items(ItemCounter(depth: 2))
            case .parts(let boundary): .parts(PartCounter(boundary))
            case .rows: .rows(RowCounter())
            }
        switch encoding?.lowercased() {
        case nil, "", "identity": return
        case "gzip", "x-gzip": inflater = try? Inflater(maximumSize: limit)
        default: break
        }
        if inflater == nil { counter = .nothing }
    }

    mutating func add(_ bytes: ByteBuffer) {
        guard let inflater else { return count(bytes) }
        var rest = bytes
        while case .some(let slice) = rest.readSlice(length: min(Self.slice, rest.readableBytes)), slice.readableBytes > 0 {
            if case .nothing = counter { return }
            do {
                count(try inflater.write(slice))
            } catch {
                counter = .nothing
            }
        }
    }

    private mutating func count(_ bytes: ByteBuffer) {
        switch counter {
        case .items(var items):
            items.add(bytes)
            counter = .items(items)
        case .parts(var parts):
            parts.add(bytes)
            counter = .parts(parts)
        case .rows(var rows):
            rows.add(bytes)
            counter = .rows(rows)
        case .nothing: return
        }
    }

    /// The documents of the whole body; `nil` if they could not be counted.
    var documents: Documents? {
        switch counter {
        case .items(let items): return Documents(count: items.count)
        case .parts(let parts): return Documents(count: parts.count)
        case .rows(let rows):
            return rows.isComplete ? Documents(count: rows.count, refused: rows.refused, conflicts: rows.conflicts) : nil
        case .nothing: return nil
        }
    }
}
