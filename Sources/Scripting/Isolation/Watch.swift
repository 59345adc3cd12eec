import CJavaScriptCore
import Foundation

/// Enforces the limits of one worker's scripts. JavaScriptCore calls it on the worker's thread after each ``interval`` of processor time, at a
/// point where it can terminate the script.
///
/// All limits except the wall-clock one refer to the thread's own processor time, so that other load on the machine terminates no script.
final class Watch {
    /// The limit at which a call was terminated, or the end of the engine.
    enum Termination {
        case timeout, memory, stopped
    }

    /// Number of calls between two checks of the batch's time, if no call was long enough to be checked itself.
    private static let callsPerCheck = 32

    /// Why the current call was terminated; `nil` if it was not.
    private(set) var termination: Termination?
    /// Terminates everything that still runs, because the contexts are being released.
    var isClosing = false

    private let limits: ScriptLimits
    /// Whether the engine was stopped, which terminates the current call.
    private let isStopped: () -> Bool
    private let interval: Duration
    private let residentMemory = ProcessMemory()
    private var baseline: Int?
    private var batchStart = Duration.zero
    private var callsSinceCheck = 0
    private var isBatchOver = false
    /// Start of the current call by both clocks; `nil` until its first check. Few calls are long enough to be checked.
    private var call: (start: Duration, wallStart: ContinuousClock.Instant)?

    init(limits: ScriptLimits, isStopped: @escaping () -> Bool) {
        self.limits = limits
        self.isStopped = isStopped
        interval = min(.milliseconds(10), max(limits.timeLimit, .milliseconds(1)) / 10)
    }

    /// Starts to check the scripts of a context group, which must be released before this object.
    func watch(_ group: JSContextGroupRef) {
        let callback: JSShouldTerminateCallback = { context, info in
            guard let context, let info else { return true }
            let watch = Unmanaged<Watch>.fromOpaque(info).takeUnretainedValue()
            if watch.shouldEnd(context) { return true }
            // JavaScriptCore removes a time limit after it has fired, so it is set again.
            watch.watch(JSContextGetGroup(context))
            return false
        }
        // A limit of zero while closing: scripts that still run are terminated at their first step.
        let seconds = isClosing ? 0 : interval / .seconds(1)
        JSContextGroupSetExecutionTimeLimit(group, seconds, callback, Unmanaged.passUnretained(self).toOpaque())
    }

    func beginBatch() {
        batchStart = ThreadClock.now
        baseline = residentMemory.bytes()
        callsSinceCheck = 0
        isBatchOver = false
        call = nil
        termination = nil
    }

    /// Starts a call. `false` if the batch has used up its time.
    func beginCall() -> Bool {
        callsSinceCheck += 1
        if call != nil || termination != nil {
            call = nil
            termination = nil
            baseline = residentMemory.bytes()
            callsSinceCheck = Self.callsPerCheck
        }
        if callsSinceCheck >= Self.callsPerCheck {
            callsSinceCheck = 0
            isBatchOver = ThreadClock.now - batchStart >= limits.batchTimeLimit
        }
        return !isBatchOver
    }

    private func shouldEnd(_ context: JSContextRef) -> Bool {
        if isClosing { return true }
        let now = ThreadClock.now
        // The first check occurs after one interval, or later on a busy machine; the excess does not count against the call.
        let call = self.call ?? (now - interval, .now - interval)
        self.call = call
        if isStopped() {
            termination = .stopped
            return true
        }
        let isLate = now - call.start >= limits.timeLimit || now - batchStart >= limits.batchTimeLimit
        if isLate || .now - call.wallStart >= limits.wallTimeLimit {
            termination = .timeout
        } else if let baseline, let bytes = residentMemory.bytes(), bytes - baseline > limits.memoryLimit {
            // The process grew. The heap's own statistics, which take milliseconds to gather, show whether this script caused it. They omit the
            // memory of a running native operation, so a fraction of the growth suffices.
            if HeapStatistics.size(of: context) > limits.memoryLimit / 4 {
                termination = .memory
            } else {
                self.baseline = bytes
            }
        }
        return termination != nil
    }
}

/// The processor time of the current thread. Reading it is a system call, which takes some microseconds on a virtual machine.
package enum ThreadClock {
    package static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// The process's resident memory, if the system provides it (`/proc/self/statm`).
final class ProcessMemory {
    private let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    private let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    deinit {
        if file >= 0 { close(file) }
    }

    /// Resident bytes; `nil` if the system does not provide them.
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

/// JavaScriptCore's statistics of a heap.
enum HeapStatistics {
    /// Bytes of the context's heap. This walks the heap. During a call of a script, no time limit may be set, because a limit that fires
    /// meanwhile would call this function recursively.
    static func size(of context: JSContextRef) -> Int {
        guard let statistics = JSGetMemoryUsageStatistics(context) else { return 0 }
        let name = JSStringCreateWithUTF8CString("heapSize")
        defer { JSStringRelease(name) }
        let size = JSValueToNumber(context, JSObjectGetProperty(context, statistics, name, nil), nil)
        return Int(exactly: size.rounded()) ?? 0
    }
}
