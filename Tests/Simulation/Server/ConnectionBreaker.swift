/// Ends an open connection when a server crashes.
actor ConnectionBreaker {
    private var socket: Pipe?

    func attach(_ socket: Pipe) { self.socket = socket }

    func detach() { socket = nil }

    func dropConnection() async { await socket?.drop() }
}
