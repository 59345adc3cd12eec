extension SyncFunctionResult.Rejection {
    /// How a write is answered whose sync function came to no decision: 503 when it could not be asked, else 500.
    ///
    /// The text says that the sync function failed and how, with Sync Gateway's words for an exception. What a function throws may
    /// quote the old document, which the writer need not be allowed to read, so it goes to the log only (``ScriptError/description``).
    public init(_ error: ScriptError) {
        switch error.code {
        case .busy, .stopped:
            self.init(status: 503, message: "The JS sync function cannot be asked now; try again later")
        case .timeout:
            self.init(status: 500, message: "The JS sync function was ended: it took too long")
        case .memory, .tooLarge:
            self.init(status: 500, message: "The JS sync function was ended: it took too much memory")
        case .compile:
            self.init(status: 500, message: "The JS sync function cannot be loaded")
        default:
            self.init(status: 500, message: "Exception in JS sync function")
        }
    }
}
