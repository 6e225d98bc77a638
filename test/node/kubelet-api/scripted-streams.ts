import type { Runtime } from '../../../src/node/runtime/runtime.ts'
import { RuntimeError } from '../../../src/node/runtime/runtime-error.ts'
import type { Script } from '../../../src/node/runtime/simulated/behaviour.ts'
import type { SimulatedRuntime } from '../../../src/node/runtime/simulated/simulated-runtime.ts'

const LINES = ['first', 'second', 'third line', 'fourth', 'fifth']

/** The behaviour of the recording's containers, by image, and the output of their commands. */
export const script: Script = {
  container({ spec }) {
    const logs = LINES
    if (/^fail/.test(spec.image)) return { runMs: 0, exitCode: 3, logs }
    if (/^done/.test(spec.image)) return { runMs: 0, logs }
    return { logs, onStop: { afterMs: 50 } }
  },
  image: (name) => (/^missing/.test(name) ? { kind: 'missing' } : { kind: 'found', sizeBytes: 1000 }),
  exec: (_container, [word = '']) => {
    if (word === 'echo') return { stdout: 'out text\n', stderr: 'err text\n' }
    return word === 'seven' ? { exitCode: 7, stdout: 'bye\n' } : {}
  },
}

const NOT_FOUND =
  'OCI runtime exec failed: exec failed: unable to start container process: exec: "nope": executable file not found in $PATH: unknown'

/** The recording's runtime: unchanged image names, a server on port 8080 of pod `one`, and checkpoints that are written. */
export function scriptedStreams(base: SimulatedRuntime): Runtime {
  return {
    ...base,
    name: 'fake',
    version: '1.0.0',
    async containers(filter, signal) {
      const found = await base.containers(filter, signal)
      return found.map((c) => {
        const name = c.image.name.replace(/:latest$/, '')
        return { ...c, image: { name, id: `${name}@sha256:<digest>` } }
      })
    },
    async exec(id, command, streams, signal) {
      const [word] = command
      if (word === 'nope') throw new RuntimeError('runtime', NOT_FOUND)
      if (word !== 'cat') return base.exec(id, command, streams, signal)
      for await (const chunk of streams.stdin ?? []) await streams.stdout?.write(chunk)
      return { exitCode: 0 }
    },
    async execSync(id, command, timeoutMs, signal) {
      if (command[0] === 'nope') throw new RuntimeError('runtime', `rpc error: code = Unknown desc = ${NOT_FOUND}`)
      return base.execSync(id, command, timeoutMs, signal)
    },
    async attach(_id, streams) {
      await streams.stdout?.write(Buffer.from('attached\n'))
    },
    async portForward(sandboxId, port, connection, signal) {
      const [sandbox] = (await base.sandboxes({}, signal)).filter((s) => s.id === sandboxId)
      if (sandbox?.pod.name !== 'one' || port !== 8080)
        throw new RuntimeError(
          'runtime',
          `failed to connect to localhost:${port} inside namespace "${sandboxId}", IPv4: dial tcp ${sandbox?.ips[0]}:${port}: connect: connection refused`,
        )
      for await (const _request of connection.source) break
      const said = 'hello from the pod'
      const lines = [
        'HTTP/1.0 200 OK',
        `Date: ${new Date().toUTCString()}`,
        `Content-Length: ${said.length}`,
        'Content-Type: text/plain; charset=utf-8',
      ]
      await connection.sink.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n${said}`))
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    },
    async checkpoint() {},
  }
}
