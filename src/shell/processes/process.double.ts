import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { ByteSink } from '../../machinery/streams.ts'
import { Pacer } from './pacer.ts'
import { emptyInput, inputOf } from './pipe.ts'
import type { FileStatus, FileSystem, ProcessTable, Program } from './process.ts'
import { runProgram } from './run-program.ts'

/** A container in memory for tests: files, programs, and what was printed. */
export function createContainer({
  clock,
  programs,
  files = {},
}: {
  clock: Clock
  programs: Readonly<Record<string, Program>>
  files?: Readonly<Record<string, string>>
}) {
  const system = memoryFiles(clock, files)
  const handlers = new Map<number, (signal: string) => void>()
  const running = new Map<number, readonly string[]>()
  let last = 0
  const table: ProcessTable = {
    hostname: 'web-0',
    user: { uid: 0, gid: 0, groups: [0] },
    find: (name) => (Object.hasOwn(programs, name) ? programs[name] : undefined),
    machine: {
      cpus: 2,
      memoryBytes: 4 << 20,
      startedAtMs: clock.now(),
      ips: ['10.1.2.3'],
      fullName: 'web-0',
      processes: () => [...running].map(([pid, argv]) => ({ pid, uid: 0, argv, startedAtMs: clock.now() })),
      mounts: () => [{ path: '/', source: 'overlay', kind: 'overlay', readOnly: false, usedBytes: 1024, limitBytes: 1 << 20 }],
      randomBytes: (count) => new Uint8Array(count),
      ports: () => [{ ip: '0.0.0.0', port: 80 }],
    },
    enter(argv, tell) {
      const pid = ++last
      handlers.set(pid, tell)
      running.set(pid, argv)
      return {
        pid,
        [Symbol.dispose]: () => {
          handlers.delete(pid)
          running.delete(pid)
        },
      }
    },
    reserve: () => ({ [Symbol.dispose]() {} }),
    send(pid, signal) {
      const tell = handlers.get(pid)
      tell?.(signal)
      return tell !== undefined
    },
  }
  return {
    files: system,
    table,
    /** How it ended and what it printed so far; `stdout` is filled while it runs. */
    run(argv: readonly string[], options: { stdin?: string; environment?: Record<string, string>; signal?: AbortSignal } = {}) {
      const [stdout, stderr] = [textSink(), textSink()]
      const done = runProgram(argv, {
        environment: options.environment ?? {},
        directory: '/',
        stdin: options.stdin === undefined ? emptyInput : inputOf(new TextEncoder().encode(options.stdin)),
        stdout: stdout.sink,
        stderr: stderr.sink,
        files: system,
        clock,
        pacer: new Pacer(clock),
        signal: options.signal ?? new AbortController().signal,
        container: table,
      })
      return { done, out: stdout.text, err: stderr.text }
    },
  }
}

function textSink(): { sink: ByteSink; text: () => string } {
  const pieces: Uint8Array[] = []
  return { sink: { write: async (b) => void pieces.push(b), end: async () => {} }, text: () => Buffer.concat(pieces).toString() }
}

function memoryFiles(clock: Clock, given: Readonly<Record<string, string>>): FileSystem {
  const all = new Map<string, { bytes: Uint8Array | undefined; mode: number; at: number }>([
    ['/', { bytes: undefined, mode: 0o755, at: clock.now() }],
  ])
  const parent = (name: string) => path.posix.dirname(name)
  const folder = (name: string) => {
    if (name !== '/') folder(parent(name))
    if (!all.has(name)) all.set(name, { bytes: undefined, mode: 0o755, at: clock.now() })
  }
  for (const [name, text] of Object.entries(given)) {
    folder(parent(name))
    all.set(name, { bytes: new TextEncoder().encode(text), mode: text.startsWith('#!') ? 0o755 : 0o644, at: clock.now() })
  }
  const entry = (name: string) => {
    const found = all.get(name)
    if (found === undefined) throw fault('ENOENT')
    return found
  }
  const names = (at: string) => [...all.keys()].filter((n) => n !== '/' && parent(n) === at).sort()
  return {
    async status(name): Promise<FileStatus | undefined> {
      const found = all.get(name)
      if (found === undefined) return undefined
      const kind = found.bytes === undefined ? 'directory' : 'file'
      return { kind, sizeBytes: found.bytes?.length ?? 0, mode: found.mode, modifiedAtMs: found.at, uid: 0, gid: 0 }
    },
    async read(name) {
      const { bytes } = entry(name)
      if (bytes === undefined) throw fault('EISDIR')
      return bytes
    },
    async write(name, bytes, { append = false, mode = 0o644 } = {}) {
      entry(parent(name))
      const old = all.get(name)
      if (old !== undefined && old.bytes === undefined) throw fault('EISDIR')
      all.set(name, {
        bytes: append ? Buffer.concat([old?.bytes ?? new Uint8Array(), bytes]) : bytes,
        mode: old?.mode ?? mode,
        at: clock.now(),
      })
    },
    list: async (name) => {
      if (entry(name).bytes !== undefined) throw fault('ENOTDIR')
      return names(name).map((n) => path.posix.basename(n))
    },
    async makeDirectory(name, mode = 0o755) {
      entry(parent(name))
      if (all.has(name)) throw fault('EEXIST')
      all.set(name, { bytes: undefined, mode, at: clock.now() })
    },
    async remove(name) {
      if (entry(name).bytes === undefined && names(name).length > 0) throw fault('ENOTEMPTY')
      all.delete(name)
    },
    async rename(from, to) {
      const moved = entry(from)
      all.delete(from)
      all.set(to, moved)
    },
    async changeMode(name, mode) {
      entry(name).mode = mode
    },
    async makeLink() {
      throw fault('EROFS')
    },
    async readLink() {
      throw fault('EINVAL')
    },
  }
}

const fault = (code: string) => Object.assign(new Error(code), { code })
