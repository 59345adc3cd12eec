import Access
import Authentication
import Foundation
import Yams

extension ConfigurationNode {
    /// A text with the variables `${NAME}` substituted; `$${` stands for `${`.
    func text() throws -> String { try substituted().text }

    func substituted() throws -> SubstitutedText {
        guard let scalar = node.scalar else { throw error(.badValue, "expected a text") }
        do {
            return try SubstitutedText(scalar.string, environment: source.environment)
        } catch {
            switch error {
            case .open: throw self.error(.badValue, "`${` without a closing brace")
            case .missing(let name):
                throw self.error(.missingVariable, "the environment has no variable `\(name)`; set it or write the value")
            }
        }
    }

    func nonEmptyText() throws -> String {
        let text = try text()
        guard !text.isEmpty else { throw error(.badValue, "the text is empty") }
        return text
    }

    func bool() throws -> Bool {
        switch try text() {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        case let other: throw error(.badValue, "expected true or false, not `\(other)`")
        }
    }

    func int(in range: ClosedRange<Int>) throws -> Int {
        let text = try text()
        guard let number = Int(text), range.contains(number) else {
            throw error(.badValue, "expected a whole number from \(range.lowerBound) to \(range.upperBound), not `\(text)`")
        }
        return number
    }

    /// A size in bytes, such as `20MiB`.
    func size(in range: ClosedRange<Int>) throws -> Int {
        let text = try text()
        guard let size = Quantity.size(text), range.contains(size) else {
            throw error(.badValue, "expected a size such as `20MiB`, `512KiB` or a number of bytes, not `\(text)`")
        }
        return size
    }

    /// A duration, such as `5m`.
    func duration() throws -> Duration {
        let text = try text()
        guard let duration = Quantity.duration(text) else {
            throw error(.badValue, "expected a time such as `30s`, `5m`, `2h` or `1d`, not `\(text)`")
        }
        return duration
    }

    /// The texts of a list. Other items are reported and omitted.
    func texts() throws -> [String] {
        try items().compactMap { $0.read { try $0.text() } }
    }

    func choice<Choice: RawRepresentable & CaseIterable>(_ type: Choice.Type) throws -> Choice where Choice.RawValue == String {
        let text = try text()
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            throw error(.badValue, "expected one of \(names), not `\(text)`")
        }
        return choice
    }

    func nonEmptyScript(_ kind: ConfigurationScript.Kind) throws -> String {
        _ = try nonEmptyText()
        return try script(kind)
    }

    /// The source of a function, which is compiled after parsing.
    func script(_ kind: ConfigurationScript.Kind) throws -> String {
        let text = try substituted()
        guard let scalar = node.scalar else { return text.text }
        let start = scalar.mark.map { insertions.original(TextPosition($0)) }
        let origin = start.map { ScalarOrigin(text, style: scalar.style, start: $0, source: source) }
        findings.add(ConfigurationScript(kind, text.text, path: path, place: place, origin: origin.map { .scalar($0) }))
        return text.text
    }
}

extension ConfigurationNode {
    /// A text, or a list of at least one text.
    func oneOrMoreTexts() throws -> [String] {
        let texts = node.sequence == nil ? [try nonEmptyText()] : try items().map { try $0.nonEmptyText() }
        guard !texts.isEmpty else { throw error(.badValue, "the list is empty") }
        return texts
    }

    /// A URL that the bridge may send requests to.
    func endpoint(plainHTTP: VerificationEndpoint.PlainHTTP = .loopback) throws -> VerificationEndpoint {
        do {
            return try VerificationEndpoint(configured: try text(), plainHTTP: plainHTTP)
        } catch let error as LoginError {
            throw self.error(.badValue, error.message)
        }
    }

    /// A duration greater than zero.
    func duration(upTo maximum: Duration) throws -> Duration {
        let duration = try duration()
        guard duration > .zero, duration <= maximum else {
            throw error(.badValue, "expected a time of at most \(maximum.components.seconds)s")
        }
        return duration
    }

    /// Whole seconds, zero included.
    func seconds(upTo maximum: Int64) throws -> Int64 {
        let seconds = try duration().components.seconds
        guard seconds <= maximum else { throw error(.badValue, "expected a time of at most \(maximum)s") }
        return seconds
    }
}

extension ConfigurationNode {
    /// The size limit of a file that a replication names, in bytes: a script, or a certificate chain.
    private static let fileSize = 4 << 20

    /// Converts a ``ReplicationSetupError`` into an error with this node's position.
    func convertingSetupErrors<Value>(_ body: () throws(ReplicationSetupError) -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw self.error(.badValue, error.message)
        }
    }

    /// The members of a mapping with required keys, in the order of the keys. Missing keys are reported.
    func required(_ keys: [String]) throws -> [ConfigurationNode] {
        let members = try members(keys)
        for key in keys where members[key] == nil { refuse(.missingKey, "`\(key)` is missing") }
        let required = keys.compactMap { members[$0] }
        guard required.count == keys.count else { throw AlreadyReported() }
        return required
    }

    /// A text that is valid in a cookie.
    func cookiePart() throws -> String {
        let text = try nonEmptyText()
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !#";,""#.utf8.contains($0) }) else {
            throw error(.badValue, "the text cannot be in a cookie: blanks, quotes, commas and semicolons are not allowed")
        }
        return text
    }

    /// The contents of the file that the value names.
    func file(in folder: URL) throws -> [UInt8] {
        let path = ServerConfiguration.path(try nonEmptyText(), in: folder)
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? handle.close() }
            let bytes = Array(try handle.read(upToCount: Self.fileSize + 1) ?? Data())
            guard bytes.count <= Self.fileSize else { throw error(.badFile, "\(path) is larger than \(Self.fileSize) bytes") }
            return bytes
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw self.error(.badFile, "\(path) cannot be read; check the path and its permissions")
        }
    }

    /// The function in the file that the value names.
    func scriptFile(_ kind: ConfigurationScript.Kind, in folder: URL) throws -> String {
        let source = String(decoding: try file(in: folder), as: UTF8.self)
        let file = ServerConfiguration.path(try text(), in: folder)
        findings.add(ConfigurationScript(kind, source, path: path, place: place, origin: .file(file)))
        return source
    }
}
