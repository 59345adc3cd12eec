import TestSupport

extension FuzzConversation {
    /// A connection whose requests have to be answered.
    private struct Line {
        let socket: FuzzSocket
        var reader: FuzzAnswerReader
        /// Whether nothing was sent over it, so that it cannot have ended with an earlier reply.
        var isFresh = true
    }

    /// Most requests are for endpoints of a keyspace.
    private static let routes = FuzzRoute.all + FuzzRoute.legacy + FuzzRoute.legacy

    mutating func playRequests() throws {
        var line: Line?
        while sent < FuzzSettings.ofConversation {
            let count = maker.random.once(in: 12) ? maker.random.number(2...5) : 1
            var requests = (0..<count).map { _ in maker.request(maker.random.pick(Self.routes), by: caller) }
            // After a request with a false length the replies cannot be matched.
            for index in requests.indices.dropLast() where !requests[index].framing.isRight { requests[index].framing = .length }
            var now = try line ?? connected()
            line = try ask(requests, over: &now) ? now : nil
        }
    }

    private func connected() throws -> Line {
        let socket = try connect()
        return Line(socket: socket, reader: FuzzAnswerReader(socket))
    }

    /// Sends pipelined requests, and reads their replies.
    ///
    /// - Returns: Whether the connection can be used again.
    private mutating func ask(_ requests: [FuzzRequest], over line: inout Line) throws -> Bool {
        let bytes = requests.flatMap(\.bytes)
        sent += requests.count
        let cut = maker.random.once(in: 20) ? maker.random.number(0...bytes.count) : bytes.count
        line.socket.send(Array(bytes[..<cut]))
        line.socket.send(Array(bytes[cut...]))
        defer { line.isFresh = false }
        for (index, request) in requests.enumerated() {
            guard request.framing.isRight else {
                try readRest(request, over: &line, sent: bytes)
                return false
            }
            let reading = line.reader.next(
                isToHead: request.method == "HEAD", isExpected: !request.mayWait, timeout: request.timeout)
            switch reading {
            case .answer(let answer):
                try check(answer, request, sent: bytes)
                if answer.closes || request.mayWait || answer.status == 101 || request.method == "CONNECT" { return false }
            case .end:
                guard line.isFresh, index == 0, !request.mayWait else { return false }
                throw FuzzFault("the connection ended without an answer", sent: bytes)
            case .silence:
                if request.mayWait { return false }
                throw FuzzFault("no answer within \(FuzzSettings.timeout) s", sent: bytes)
            case .broken(let why): throw FuzzFault("no well-formed answer: \(why)", sent: bytes)
            }
        }
        // Sometimes a client closes its sending side, and the server has to detect it.
        if maker.random.once(in: 40) {
            line.socket.closeOutput()
            if case .silence = line.reader.next(isToHead: false, isExpected: true) {
                throw FuzzFault("a half-closed connection stays", sent: bytes)
            }
            return false
        }
        return true
    }

    /// After a request with a false length: every reply is well-formed, and the connection ends.
    private mutating func readRest(_ request: FuzzRequest, over line: inout Line, sent bytes: [UInt8]) throws {
        line.socket.closeOutput()
        for index in 0..<10 {
            let isExpected = index == 0 && !request.mayWait
            switch line.reader.next(
                isToHead: request.method == "HEAD" && index == 0, isExpected: isExpected, timeout: request.timeout)
            {
            case .answer(let answer):
                try check(answer, request, sent: bytes)
                if answer.closes { return }
            case .end: return
            case .silence:
                if isExpected { throw FuzzFault("neither an answer nor an end within \(FuzzSettings.timeout) s", sent: bytes) }
                return
            case .broken(let why): throw FuzzFault("no well-formed answer: \(why)", sent: bytes)
            }
        }
    }

    private mutating func check(_ answer: FuzzAnswer, _ request: FuzzRequest, sent bytes: [UInt8]) throws {
        count(answer.status)
        if let fault = AnswerModel.fault(of: answer, to: request, by: caller) {
            throw FuzzFault("\(request.route.name): \(fault)", sent: bytes, answered: answer.text)
        }
        // A refusal discloses nothing that would give access.
        if !caller.isShutOut { maker.knowledge.learn(from: answer.body) }
    }
}
