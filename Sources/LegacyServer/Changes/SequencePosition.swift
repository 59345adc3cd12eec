import Documents
import Gateway
import LegacyProtocol
import Storage

/// The position in the feed from which a client wants to continue.
enum SequencePosition: Equatable {
    case here(FeedPosition)

    /// A sequence of another server: the legacy upstream, if there is one.
    case elsewhere(UpstreamSequence)

    /// Finds the position in a keyspace's feed. An unknown position is the beginning: the client is offered rows that it may already have, and
    /// misses none.
    ///
    /// - Throws: ``LegacyError``, 400, for text that is no server's sequence.
    static func find(_ text: String?, in keyspace: Keyspace) async throws -> FeedPosition {
        let own = try await keyspace.ownSequences()
        switch try parse(text, own) {
        case .here(let position): return own.marked(position)
        case .elsewhere(let sequence): return own.marked(try await keyspace.position(ofUpstream: sequence))
        }
    }

    /// Parses a `since`.
    ///
    /// This server's sequences are:
    /// - plain integers from the store's origin up to the counter,
    /// - `T:S`, where access was granted or lost at such a T,
    /// - either of them after a smaller number and a colon, if the client came from the legacy upstream.
    ///
    /// All others belong to another server or to an earlier store: integers outside that range, Sync Gateway's `2:5`, `2::5` and `1:2:5`,
    /// CouchDB's `12-g1AAAA` and Cloudant's `[12,"g1AAAA"]`. An ambiguous sequence is the beginning (``LocalSequences``).
    ///
    /// - Parameters:
    ///   - text: The value as text, with or without JSON's quotes (CouchDB 1.6 and 2 send them); `nil` or empty if there is none.
    ///   - own: The range of this server's sequences; its end is the meaning of `now`.
    /// - Throws: ``LegacyError``, 400, for text that is no server's sequence.
    static func parse(_ text: String?, _ own: LocalSequences) throws(LegacyError) -> SequencePosition {
        guard let text, !text.isEmpty else { return .here(.zero) }
        let bytes = unquoted(Array(text.utf8)[...])
        if bytes.elementsEqual("now".utf8) { return .here(own.end) }
        if bytes.elementsEqual(saturated.utf8) { return .here(.zero) }
        let elsewhere = SequencePosition.elsewhere(UpstreamSequence(String(decoding: bytes, as: UTF8.self)))
        if bytes.first == UInt8(ascii: "[") {
            guard (try? JSONValue(bytes, maximumDepth: 4)) != nil else { throw invalid }
            return elsewhere
        }
        let digits = bytes.prefix { isDigit($0) }
        guard !digits.isEmpty else { throw invalid }
        if let position = FeedPosition(String(decoding: bytes, as: UTF8.self)).flatMap({ own.own($0) }) { return .here(position) }
        guard digits.count == bytes.count || isForeign(bytes[digits.endIndex...]) else { throw invalid }
        return elsewhere
    }

    /// The value that 32-bit devices send in place of every larger number.
    private static let saturated = SequenceNumber.saturated.description

    /// Whether the text after the digits is that of a compound or an opaque sequence.
    private static func isForeign(_ rest: ArraySlice<UInt8>) -> Bool {
        switch rest.first {
        case UInt8(ascii: "-"): rest.count > 1 && rest.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") }
        case UInt8(ascii: ":"):
            rest.allSatisfy { isDigit($0) || $0 == UInt8(ascii: ":") } && rest.last.map(isDigit) == true
                && rest.count { $0 == UInt8(ascii: ":") } <= 2
        default: false
        }
    }

    private static func unquoted(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let quote = UInt8(ascii: "\"")
        guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else { return bytes }
        return bytes.dropFirst().dropLast()
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    private static let invalid = LegacyError(.badRequest, "Invalid sequence")
}
