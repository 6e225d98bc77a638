/**
 * What flows between a client and a process in a container, whatever carries it (WebSocket, SPDY, CRI, or the same process).
 * Both ends see plain byte streams with back-pressure; protocols live in `streaming` and `sdk/client`.
 */

/** Bytes in order. Ends when the sender has no more; throws when the sender has gone before its end. One consumer. */
export type ByteSource = AsyncIterable<Uint8Array>

/** Where bytes go. */
export interface ByteSink {
  /** Resolves when there is room for more; rejects when the receiver has gone. The chunk belongs to the sink from now on. */
  write(chunk: Uint8Array): Promise<void>
  /** No more will come. Calling it twice is harmless. */
  end(): Promise<void>
}

/** A connection: what comes, and where to answer. */
export interface ByteDuplex {
  readonly source: ByteSource
  readonly sink: ByteSink
}

/** Of a terminal, in characters. */
export interface TerminalSize {
  readonly width: number
  readonly height: number
}

/** The process's end of exec and attach: what the client did not ask for is absent. With a terminal, stderr is part of stdout. */
export interface ProcessStreams {
  readonly stdin?: ByteSource
  readonly stdout?: ByteSink
  readonly stderr?: ByteSink
  /** How large the client's terminal is, now and after each change. Only with `tty`. */
  readonly resizes?: AsyncIterable<TerminalSize>
  readonly tty: boolean
}

/** The client's end of the same. Disposing of it goes away without waiting for the process. */
export interface RemoteProcess extends AsyncDisposable {
  /** Does nothing when stdin was not asked for. */
  readonly stdin: ByteSink
  readonly stdout: ByteSource
  readonly stderr: ByteSource
  resize(size: TerminalSize): void
  /** Settles when the process has ended; rejects with a `StatusError` when it could not be run, or the connection broke. */
  readonly exit: Promise<{ readonly exitCode: number }>
}

/** The client's end of a port-forward. */
export interface RemotePorts extends AsyncDisposable {
  /** A new connection to that port of the pod. What goes wrong there makes `source` throw. */
  open(port: number): Promise<ByteDuplex>
}

/** Which streams a client asks for. */
export interface CommandStreams {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}
