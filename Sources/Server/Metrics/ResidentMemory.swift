import Foundation

/// The process's resident memory.
enum ResidentMemory {
    /// In bytes; `nil` where the system does not tell (`/proc/self/statm`).
    static var current: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        let (bytes, isTooMuch) = pages.multipliedReportingOverflow(by: Int(sysconf(Int32(_SC_PAGESIZE))))
        return isTooMuch ? nil : bytes
    }
}
