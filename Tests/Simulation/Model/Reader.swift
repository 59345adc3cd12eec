/// A user of the bridge who may see some channels only.
final class Reader {
    let name: String
    var channels: Set<String>

    init(_ name: String, _ channels: Set<String>) {
        self.name = name
        self.channels = channels
    }
}
