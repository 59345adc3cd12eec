import Foundation

extension ConfigurationNode {
    /// The largest file that a replication names, in bytes: a script, or a chain of certificates.
    private static let fileSize = 4 << 20

    /// Says where something stands that a replication cannot do.
    func naming<Value>(_ body: () throws(ReplicationSetupError) -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw self.error(.badValue, error.message)
        }
    }

    /// The members of a mapping that all have to be there, in the order of the keys. Those that are missing are noted.
    func required(_ keys: [String]) throws -> [ConfigurationNode] {
        let members = try members(keys)
        for key in keys where members[key] == nil { refuse(.missingKey, "`\(key)` is missing") }
        let required = keys.compactMap { members[$0] }
        guard required.count == keys.count else { throw AlreadyNoted() }
        return required
    }

    /// A text that can stand in a cookie.
    func cookiePart() throws -> String {
        let text = try nonEmptyText()
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !#";,""#.utf8.contains($0) }) else {
            throw error(.badValue, "the text cannot stand in a cookie: it has no blanks, quotes, commas and semicolons")
        }
        return text
    }

    /// What stands in the file that is named here.
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
            throw self.error(.badFile, "\(path) cannot be read; is the path right, and may it be read?")
        }
    }

    /// The function in the file that is named here.
    func scriptFile(_ kind: ConfigurationScript.Kind, in folder: URL) throws -> String {
        let source = String(decoding: try file(in: folder), as: UTF8.self)
        let file = ServerConfiguration.path(try text(), in: folder)
        findings.add(ConfigurationScript(kind, source, path: path, place: place, origin: .file(file)))
        return source
    }
}
