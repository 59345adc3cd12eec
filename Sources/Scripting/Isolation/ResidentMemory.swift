import Foundation

/// The process's resident memory, where the system tells it (`/proc/self/statm`).
final class ResidentMemory {
    private let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    private let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    deinit {
        if file >= 0 { close(file) }
    }

    /// Bytes of the process in memory; nil where the system does not tell.
    func bytes() -> Int? {
        guard file >= 0 else { return nil }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { buffer in
            let count = pread(file, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            // "size resident shared ...", in pages.
            let fields = buffer[..<count].split(separator: UInt8(ascii: " "), maxSplits: 2)
            guard fields.count > 1 else { return nil }
            return fields[1].reduce(0) { $0 * 10 + Int($1 & 0x0F) } * pageSize
        }
    }
}
