import Documents

/// The source of a 4.x database's versions: it survives a restore, because its clock is the device's.
final class VersionMaker {
    let source: SourceID
    let uuid: String
    private var clock: UInt64 = 0

    /// The contents of its own versions by the legacy ID of the document: each version of a source includes the earlier ones, also where the document
    /// was purged or moved in between.
    var own: [String: Set<Content>] = [:]

    /// - Parameter name: The source of the UUID.
    init(_ name: String) throws {
        let bytes = Array(AttachmentDigest.sha1(of: Array(name.utf8)).bytes.prefix(SourceID.size))
        guard let source = SourceID(bytes) else { throw UnexpectedMessage("\(name) has no source ID") }
        self.source = source
        let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        uuid = text
    }

    /// A version newer than all before.
    func next() -> Version {
        clock += 1
        return Version(time: clock << 16, source: source)
    }
}
