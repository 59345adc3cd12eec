import BLIP

/// Prints the messages between clients and servers, for the analysis of a failing seed.
enum WireLog {
    @TaskLocal static var isOn = false

    /// The replication's client.
    @TaskLocal static var client = ""

    /// The number of printed bytes of a body.
    private static let bodySize = 600

    static func record(_ text: @autoclosure () -> String) {
        if isOn { print("      \(client) \(text())") }
    }

    static func record(_ way: String, _ message: BLIPMessage) {
        guard isOn else { return }
        let properties = message.properties.map { "\($0.0)=\($0.1)" }.joined(separator: " ")
        record("\(way) \(message.type) \(message.number) \(properties) \(text(message.body))")
    }

    static func text(_ body: [UInt8]) -> String { String(decoding: body.prefix(bodySize), as: UTF8.self) }
}
