import TestSupport

extension FuzzConversation {
    /// A connection, as far as its requests have to be answered.
    private struct Line {
        let socket: FuzzSocket
        var reader: FuzzAnswerReader
        /// Whether nothing was sent over it, so that it cannot have ended with an earlier answer.
        var isFresh = true
    }

    /// What is served behind a keyspace is asked for most.
    private static let routes = FuzzRoute.all + FuzzRoute.legacy + FuzzRoute.legacy

    mutating func playRequests() throws {
        var line: Line?
        while sent < FuzzSettings.ofConversation {
            let count = maker.random.once(in: 12) ? maker.random.number(2...5) : 1
            var requests = (0..<count).map { _ in maker.request(maker.random.pick(Self.routes), by: caller) }
            // Behind one that lies about its end nobody could tell what is answered.
            for index in requests.indices.dropLast() where !requests[index].framing.isRight { requests[index].framing = .length }
            var now = try line ?? connected()
            line = try ask(requests, over: &now) ? now : nil
        }
    }

    private func connected() throws -> Line {
        let socket = try connect()
        return Line(socket: socket, reader: FuzzAnswerReader(socket))
    }

    /// Sends requests one behind the other, and reads their answers.
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
                isToHead: request.method == "HEAD", isPatient: !request.mayWait, patience: request.patience)
            switch reading {
            case .answer(let answer):
                try judge(answer, request, sent: bytes)
                if answer.closes || request.mayWait || answer.status == 101 || request.method == "CONNECT" { return false }
            case .end:
                guard line.isFresh, index == 0, !request.mayWait else { return false }
                throw FuzzFault("the connection ended without an answer", sent: bytes)
            case .silence:
                if request.mayWait { return false }
                throw FuzzFault("no answer within \(FuzzSettings.patience) s", sent: bytes)
            case .broken(let why): throw FuzzFault("no well-formed answer: \(why)", sent: bytes)
            }
        }
        // Now and then a client sends no more, and the server has to see it.
        if maker.random.once(in: 40) {
            line.socket.closeOutput()
            if case .silence = line.reader.next(isToHead: false, isPatient: true) {
                throw FuzzFault("a half-closed connection stays", sent: bytes)
            }
            return false
        }
        return true
    }

    /// After what tells its end wrongly: whatever is answered is well-formed, and there is an end.
    private mutating func readRest(_ request: FuzzRequest, over line: inout Line, sent bytes: [UInt8]) throws {
        line.socket.closeOutput()
        for index in 0..<10 {
            let isPatient = index == 0 && !request.mayWait
            switch line.reader.next(
                isToHead: request.method == "HEAD" && index == 0, isPatient: isPatient, patience: request.patience)
            {
            case .answer(let answer):
                try judge(answer, request, sent: bytes)
                if answer.closes { return }
            case .end: return
            case .silence:
                if isPatient { throw FuzzFault("neither an answer nor an end within \(FuzzSettings.patience) s", sent: bytes) }
                return
            case .broken(let why): throw FuzzFault("no well-formed answer: \(why)", sent: bytes)
            }
        }
    }

    private mutating func judge(_ answer: FuzzAnswer, _ request: FuzzRequest, sent bytes: [UInt8]) throws {
        note(answer.status)
        if let fault = AnswerModel.fault(of: answer, to: request, by: caller) {
            throw FuzzFault("\(request.route.name): \(fault)", sent: bytes, answered: answer.text)
        }
        // Who is shut out learns nothing that would let him in.
        if !caller.isShutOut { maker.knowledge.learn(from: answer.body) }
    }
}
