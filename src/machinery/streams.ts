/**
 * Streams between a client and a process in a container, over any transport (WebSocket, SPDY, CRI, or within the process). Both ends use
 * plain byte streams with back-pressure; protocols are in `streaming` and `sdk/client`.
 */

/** Bytes in order. Ends when the sender has ended the stream; throws if the sender is lost before. One consumer. */
export type ByteSource = AsyncIterable<Uint8Array>

/** The writing end of a byte stream. */
export interface ByteSink {
  /** Resolves when there is room for more; rejects if the receiver has gone. The chunk belongs to the sink from now on. */
  write(chunk: Uint8Array): Promise<void>
  /** Ends the stream. Calling it twice is harmless. */
  end(): Promise<void>
}

/** A bidirectional connection. */
export interface ByteDuplex {
  readonly source: ByteSource
  readonly sink: ByteSink
}

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly width: number
  readonly height: number
}

/** The process's end of exec and attach; streams that the client did not request are absent. With a terminal, stderr is part of stdout. */
export interface ProcessStreams {
  readonly stdin?: ByteSource
  readonly stdout?: ByteSink
  readonly stderr?: ByteSink
  /** The size of the client's terminal, now and after each change. Only with `tty`. */
  readonly resizes?: AsyncIterable<TerminalSize>
  readonly tty: boolean
}

/** The client's end. Disposing of it closes the connection without waiting for the process. */
export interface RemoteProcess extends AsyncDisposable {
  /** Does nothing if stdin was not requested. */
  readonly stdin: ByteSink
  readonly stdout: ByteSource
  readonly stderr: ByteSource
  resize(size: TerminalSize): void
  /** Resolves when the process has ended; rejects with a `StatusError` if it could not be started, or the connection was lost. */
  readonly exit: Promise<{ readonly exitCode: number }>
}

/** The client's end of a port-forward. */
export interface RemotePorts extends AsyncDisposable {
  /** Opens a connection to that port of the pod. Errors in the pod make `source` throw. */
  open(port: number): Promise<ByteDuplex>
}

/** The streams that a client requests. */
export interface CommandStreams {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}
