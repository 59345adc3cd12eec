import Compression
import Foundation

/// The bytes of a dump, decompressed if it is gzip. Not thread-safe.
final class DumpFile {
    private static let blockSize = 1 << 18

    private let path: String
    let isCompressed: Bool
    private var file: FileHandle
    private var inflate: InflateStream?
    private var compressed: [UInt8] = []

    /// Number of file bytes read.
    private var bytesRead = 0

    /// The file's size in bytes.
    let size: Int

    /// Number of content bytes read.
    private(set) var offset = 0

    /// Why the content ended early; `nil` at the regular end.
    private(set) var damage: String?

    /// - Throws: ``SourceError``.
    init(path: String) throws {
        self.path = path
        isCompressed = try Self.head(of: path).starts(with: [0x1f, 0x8b])
        file = try Self.open(path)
        size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    /// Read position in bytes of the file, before decompression.
    var position: Int { isCompressed ? bytesRead - compressed.count : offset }

    /// The first bytes of a file without decompression: at most 16.
    ///
    /// - Throws: ``SourceError``.
    static func head(of path: String) throws -> [UInt8] {
        do {
            return Array(try open(path).read(upToCount: 16) ?? Data())
        } catch let error as SourceError {
            throw error
        } catch {
            throw SourceError(.unreachable, "\(path): cannot be read. Check the disk.", cause: error)
        }
    }

    /// Moves to a position in the content. Gzip content is decompressed up to there.
    ///
    /// - Throws: ``SourceError`` `changed` if the content is shorter.
    func seek(to target: Int) throws {
        guard target != offset else { return }
        if !isCompressed {
            guard try file.seekToEnd() >= target else { throw changed() }
            try file.seek(toOffset: UInt64(target))
            offset = target
            damage = nil
            return
        }
        if target < offset {
            file = try Self.open(path)
            (inflate, compressed, bytesRead, offset, damage) = (nil, [], 0, 0, nil)
        }
        while offset < target, let block = try block(atMost: min(Self.blockSize, target - offset)), !block.isEmpty {}
        guard offset == target else { throw changed() }
    }

    private func changed() -> SourceError {
        SourceError(.changed, "\(path): the dump is shorter than it was. Start the run again from the beginning.")
    }

    /// The next bytes; `nil` at the end.
    func block() throws -> [UInt8]? {
        try block(atMost: Self.blockSize)
    }

    private func block(atMost count: Int) throws -> [UInt8]? {
        let block = isCompressed ? try decompressed(atMost: count) : try file.read(upToCount: count).map { Array($0) }
        guard let block, !block.isEmpty else { return nil }
        offset += block.count
        return block
    }

    private func decompressed(atMost count: Int) throws -> [UInt8]? {
        guard damage == nil else { return nil }
        do {
            while true {
                if compressed.isEmpty {
                    guard let more = try file.read(upToCount: Self.blockSize), !more.isEmpty else {
                        if let inflate, !inflate.isFinished { damage = "the gzip file ends too early" }
                        return nil
                    }
                    compressed = Array(more)
                    bytesRead += compressed.count
                }
                // A file may consist of several concatenated gzip streams.
                let stream = try inflate.flatMap { $0.isFinished ? nil : $0 } ?? InflateStream(.gzip)
                inflate = stream
                var used = 0
                let block = try [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
                    try compressed.withUnsafeBytes { bytes in
                        var input = bytes
                        written = try stream.decompress(&input, into: UnsafeMutableRawBufferPointer(buffer))
                        used = bytes.count - input.count
                    }
                }
                compressed.removeFirst(used)
                if !block.isEmpty { return block }
            }
        } catch let error as ZlibError {
            damage = "the gzip file is damaged (\(error))"
            return nil
        }
    }

    private static func open(_ path: String) throws -> FileHandle {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw SourceError(.unreachable, "\(path): cannot be opened. Check its permissions.")
        }
        return file
    }
}
