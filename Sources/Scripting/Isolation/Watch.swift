import CJavaScriptCore
import Foundation

/// Watches one worker's scripts: JavaScriptCore asks it, on the worker's thread and at a point where a script can be ended, after
/// each ``interval`` of processor time whether the script is to go on.
///
/// All but one limit are of the thread's own processor time, so that what else the machine does ends no script.
final class Watch {
    /// Calls after which a batch's time is looked at, if none of them was long enough to be.
    private static let callsPerLook = 32

    /// Why the present call was ended, if it was.
    private(set) var verdict: ScriptError.Code?
    /// Ends whatever runs: the contexts are being released.
    var isClosing = false

    private let limits: ScriptLimits
    /// Whether the engine was stopped, which ends what runs.
    private let isStopped: () -> Bool
    private let interval: Duration
    private let residentMemory = ResidentMemory()
    private var baseline: Int?
    private var batchStart = Duration.zero
    private var callsSinceLook = 0
    private var isBatchOver = false
    /// When the present call began by both clocks; nil until it is first looked at, which few calls ever are.
    private var call: (start: Duration, wallStart: ContinuousClock.Instant)?

    init(limits: ScriptLimits, isStopped: @escaping () -> Bool) {
        self.limits = limits
        self.isStopped = isStopped
        interval = min(.milliseconds(10), max(limits.timeLimit, .milliseconds(1)) / 10)
    }

    /// Starts to watch the scripts of a context group. It must be released before the watch is.
    func watch(_ group: JSContextGroupRef) {
        let callback: JSShouldTerminateCallback = { context, info in
            guard let context, let info else { return true }
            let watch = Unmanaged<Watch>.fromOpaque(info).takeUnretainedValue()
            if watch.shouldEnd(context) { return true }
            // A limit that has passed is gone, and the script with it would go on for ever: set it again.
            watch.watch(JSContextGetGroup(context))
            return false
        }
        // No limit at all while closing: whatever still wants to run ends at its first step.
        let seconds = isClosing ? 0 : interval / .seconds(1)
        JSContextGroupSetExecutionTimeLimit(group, seconds, callback, Unmanaged.passUnretained(self).toOpaque())
    }

    func beginBatch() {
        batchStart = ThreadClock.now
        baseline = residentMemory.bytes()
        callsSinceLook = 0
        isBatchOver = false
        call = nil
        verdict = nil
    }

    /// Starts a call. False when the batch has used up its time.
    func beginCall() -> Bool {
        callsSinceLook += 1
        if call != nil || verdict != nil {
            call = nil
            verdict = nil
            baseline = residentMemory.bytes()
            callsSinceLook = Self.callsPerLook
        }
        if callsSinceLook >= Self.callsPerLook {
            callsSinceLook = 0
            isBatchOver = ThreadClock.now - batchStart >= limits.batchTimeLimit
        }
        return !isBatchOver
    }

    private func shouldEnd(_ context: JSContextRef) -> Bool {
        if isClosing { return true }
        let now = ThreadClock.now
        // The first look comes when the call has had the interval, or later on a busy machine: that is the call's luck.
        let call = self.call ?? (now - interval, .now - interval)
        self.call = call
        if isStopped() {
            verdict = .stopped
            return true
        }
        let isLate = now - call.start >= limits.timeLimit || now - batchStart >= limits.batchTimeLimit
        if isLate || .now - call.wallStart >= limits.wallTimeLimit {
            verdict = .timeout
        } else if let baseline, let bytes = residentMemory.bytes(), bytes - baseline > limits.memoryLimit {
            // Something in the process grew. The heap's own figures, which take milliseconds to gather, tell whether it was this
            // script; they leave out what a native step holds, so a part of the growth is enough.
            if HeapStatistics.size(of: context) > limits.memoryLimit / 4 {
                verdict = .memory
            } else {
                self.baseline = bytes
            }
        }
        return verdict != nil
    }
}

/// The processor time of the thread that asks. Asking is a system call, of some microseconds on a virtual machine.
package enum ThreadClock {
    package static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

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

/// What JavaScriptCore tells about a heap.
enum HeapStatistics {
    /// Bytes of the heap that the context is in. Walks over the heap; while a script runs, to be asked only with no limit set, for
    /// a limit that passed meanwhile would ask again from inside.
    static func size(of context: JSContextRef) -> Int {
        guard let statistics = JSGetMemoryUsageStatistics(context) else { return 0 }
        let name = JSStringCreateWithUTF8CString("heapSize")
        defer { JSStringRelease(name) }
        let size = JSValueToNumber(context, JSObjectGetProperty(context, statistics, name, nil), nil)
        return Int(exactly: size.rounded()) ?? 0
    }
}
