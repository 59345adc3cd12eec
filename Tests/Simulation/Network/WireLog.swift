import BLIP

/// Prints what passes between clients and servers, for an engineer who looks into a seed that fails.
enum WireLog {
    @TaskLocal static var isOn = false

    /// Whose replication it is.
    @TaskLocal static var client = ""

    /// How many bytes of a body are printed.
    private static let bodySize = 600

    static func note(_ text: @autoclosure () -> String) {
        if isOn { print("      \(client) \(text())") }
    }

    static func note(_ way: String, _ message: BLIPMessage) {
        guard isOn else { return }
        let properties = message.properties.map { "\($0.0)=\($0.1)" }.joined(separator: " ")
        note("\(way) \(message.type) \(message.number) \(properties) \(text(message.body))")
    }

    static func text(_ body: [UInt8]) -> String { String(decoding: body.prefix(bodySize), as: UTF8.self) }
}
