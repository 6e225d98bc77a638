import type { DatagramChannel, TakeDatagram } from '../network/datagrams.ts'
import type { NetworkStack } from '../network/network-stack.ts'
import type { ProcessScope } from './process-scope.ts'
import type { DatagramConversation, ProgramPort } from './program.ts'

export interface DatagramDeps {
  readonly stack: NetworkStack
  readonly scope: ProcessScope
  /** Gets the errors that the handler throws. */
  readonly failed: (error: unknown) => void
  readonly closed: () => void
}

/** Opens a port for messages (UDP). Throws a `ConnectError` when it is taken. */
export function openDatagramPort(
  port: number,
  host: string,
  handler: TakeDatagram,
  { stack, scope, failed, closed }: DatagramDeps,
): ProgramPort {
  const bound = stack.datagrams.open(port, host, (datagram) => {
    try {
      handler(datagram)
    } catch (error) {
      failed(error)
    }
  })
  let open = true
  const close = () => {
    if (!open) return
    open = false
    letGo()
    bound.close()
    closed()
  }
  const letGo = scope.hold(close)
  return { port: bound.port, close, [Symbol.asyncDispose]: async () => close() }
}

/** So many answers wait for who does not read them; more are lost, as the system's buffer loses them. */
const MOST_WAITING = 256

/** A conversation over a channel: answers are read on demand. */
export function converse(scope: ProcessScope, open: (receive: (bytes: Uint8Array) => void) => DatagramChannel): DatagramConversation {
  const waiting: Uint8Array[] = []
  let wake: (() => void) | undefined
  let closed = false
  const channel = open((bytes) => {
    if (waiting.length < MOST_WAITING) waiting.push(bytes)
    wake?.()
  })
  const close = () => {
    closed = true
    letGo()
    channel.close()
    wake?.()
  }
  const letGo = scope.hold(close)
  return {
    async send(data) {
      await scope.step()
      channel.send(typeof data === 'string' ? Buffer.from(data) : data)
    },
    close,
    async *[Symbol.asyncIterator]() {
      while (!closed) {
        const next = waiting.shift()
        if (next !== undefined) {
          await scope.step()
          yield next
        } else
          await scope.awaited(
            new Promise<void>((resolve) => {
              wake = resolve
            }),
          )
      }
    },
    [Symbol.asyncDispose]: async () => close(),
  }
}
