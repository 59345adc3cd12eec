import Foundation

extension MigrationReport {
    /// The report as JSON with sorted keys, the same for the same report.
    ///
    /// - Parameter isPretty: whether it is laid out for reading.
    public func json(isPretty: Bool = false) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}
