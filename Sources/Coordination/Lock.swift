#if DUALGAUGE_TSAN
    import Foundation
#else
    public import Synchronization
#endif

/// A value that is accessed under a lock. The value is stored in place, without an allocation.
///
/// The lock is not recursive. Code that takes two locks takes them in the same order everywhere.
///
/// Everything here is `public`, although the module belongs to no product, because the compiler inlines only public declarations into other modules.
/// `Synchronization.Mutex` does the work. The thread sanitizer does not see that lock on Linux; with `-DDUALGAUGE_TSAN` a POSIX mutex replaces it.
public struct Lock<Value: ~Copyable>: ~Copyable {
    #if DUALGAUGE_TSAN
        @usableFromInline let storage: POSIXLock<Value>
    #else
        @usableFromInline let storage: Mutex<Value>
    #endif

    /// Creates a lock that is not held.
    ///
    /// - Parameter value: The first value.
    @inlinable
    public init(_ value: consuming sending Value) {
        #if DUALGAUGE_TSAN
            storage = POSIXLock(value)
        #else
            storage = Mutex(value)
        #endif
    }

    /// Calls `body` with the value while the lock is held.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try storage.withLock(body)
    }
}

extension Lock: Sendable where Value: ~Copyable {}

#if DUALGAUGE_TSAN
    /// A value with a POSIX mutex, both on the heap.
    ///
    /// `@unchecked Sendable`. Proof: both pointers are constant; `value` is accessed only in `init`, in `deinit`, which have no concurrent access, and
    /// while `mutex` is held. A value enters and leaves as `sending`.
    @usableFromInline
    final class POSIXLock<Value: ~Copyable>: @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

        @usableFromInline
        init(_ value: consuming sending Value) {
            pthread_mutex_init(mutex, nil)
            self.value.initialize(to: value)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        @usableFromInline
        func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
#endif
