import { type BytePipe, createBytePipe } from '../base/byte-pipe.ts'
import { errorOf } from '../base/message-of.ts'
import { quiet } from '../base/quiet.ts'
import type { Outcome } from '../machinery/process-outcome.ts'
import type { ByteDuplex, RemotePorts, RemoteProcess } from '../machinery/streams.ts'
import { TerminalSizes } from '../machinery/terminal-sizes.ts'
import type { LocalConnection } from './accepted.ts'

const GONE = 'the client has gone'

/** Both ends of an exec or attach. `process` resolves when the other side has accepted. */
export function localCommand(): { readonly connection: LocalConnection; readonly process: Promise<RemoteProcess> } {
  const accepted = Promise.withResolvers<RemoteProcess>()
  return {
    process: accepted.promise,
    connection: {
      kind: 'command',
      accept(wanted) {
        const [stdin, stdout, stderr] = [createBytePipe(), createBytePipe(), createBytePipe()]
        const sizes = new TerminalSizes()
        const gone = new AbortController()
        const exit = Promise.withResolvers<{ exitCode: number }>()
        void quiet(exit.promise, 'callers that wait for the exit get the error')
        const leave = () => {
          gone.abort(new Error(GONE))
          for (const pipe of [stdin, stdout, stderr]) pipe.destroy(new Error(GONE))
          sizes.end()
          exit.reject(new Error(GONE))
        }
        accepted.resolve({
          stdin: stdin.sink,
          stdout: stdout.source,
          stderr: stderr.source,
          resize: (size) => sizes.push(size),
          exit: exit.promise,
          [Symbol.asyncDispose]: async () => leave(),
        })
        return {
          streams: {
            ...(wanted.stdin && { stdin: stdin.source }),
            ...(wanted.stdout && { stdout: stdout.sink }),
            ...(wanted.stderr && !wanted.tty && { stderr: stderr.sink }),
            ...(wanted.tty && { resizes: sizes }),
            tty: wanted.tty,
          },
          gone: gone.signal,
          async finish(outcome: Outcome) {
            await Promise.all([stdout.sink.end(), stderr.sink.end()])
            sizes.end()
            stdin.destroy(new Error('the process has ended'))
            if (outcome.kind === 'exit') exit.resolve({ exitCode: outcome.exitCode })
            else exit.reject(outcome.error)
          },
        }
      },
    },
  }
}

/** Both ends of a port-forward. */
export function localPorts(): { readonly connection: LocalConnection; readonly ports: Promise<RemotePorts> } {
  const accepted = Promise.withResolvers<RemotePorts>()
  return {
    ports: accepted.promise,
    connection: {
      kind: 'ports',
      accept(forward) {
        const over = Promise.withResolvers<void>()
        const open = new Set<BytePipe>()
        accepted.resolve({
          async open(port): Promise<ByteDuplex> {
            const [there, back] = [createBytePipe(), createBytePipe()]
            open.add(there).add(back)
            void forward(port, { source: there.source, sink: back.sink })
              .then(
                () => back.sink.end(),
                (error: unknown) => back.destroy(errorOf(error)),
              )
              .finally(() => {
                there.destroy(new Error('the connection has ended'))
                open.delete(there)
                open.delete(back)
              })
            return { source: back.source, sink: there.sink }
          },
          async [Symbol.asyncDispose]() {
            for (const pipe of open) pipe.destroy(new Error(GONE))
            over.resolve()
          },
        })
        return over.promise
      },
    },
  }
}
