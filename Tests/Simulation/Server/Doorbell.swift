/// Breaks the connection that is open when a server dies.
actor Doorbell {
    private var socket: Pipe?

    func attach(_ socket: Pipe) { self.socket = socket }

    func detach() { socket = nil }

    func ring() async { await socket?.drop() }
}
