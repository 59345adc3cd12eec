import Foundation

/// Results for other programs: one JSON object on standard output.
enum JSONOutput {
    static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        StandardStream.output.write(try encoder.encode(value) + Data("\n".utf8))
    }
}
