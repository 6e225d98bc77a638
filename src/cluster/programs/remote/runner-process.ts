import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Duplex, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../../base/clock.ts'
import { quiet, quietErrors } from '../../../base/quiet.ts'
import { Link, type Services } from '../../../threads/link.ts'
import { streamPort } from '../../../threads/stream-port.ts'
import { PART_SERVICES } from '../../threads/thread-protocol.ts'
import { type GuardReport, RUNNER_FILES, type RunnerData } from './runner-data.ts'

/** How a runner has ended. */
export interface RunnerEnd {
  readonly why: 'full' | 'stuck' | 'other'
  readonly message: string
  /** The container whose program is to blame. */
  readonly blamed: number
}

/** A process in which programs of containers run. */
export interface Runner {
  readonly link: Link
  readonly pid: number | undefined
  /** Never rejects. */
  readonly ended: Promise<RunnerEnd>
  /** Ends it, with its programs. */
  stop(): Promise<void>
}

/** Starts a runner. It is a process and no thread: a thread whose heap is full can end its whole process (ARCHITECTURE.md). */
export function startRunner(own: Omit<RunnerData, 'parent'>, services: (link: Link) => Services, clock: Clock): Runner {
  const data: RunnerData = { ...own, parent: process.pid }
  const { limits } = data
  const flags = ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${limits.heapMb}`]
  const child = spawn(process.execPath, [...flags, entryPoint(), JSON.stringify(data)], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'],
  })
  const stream = child.stdio[RUNNER_FILES.link]
  const reports = child.stdio[RUNNER_FILES.guard]
  if (!(stream instanceof Duplex && reports instanceof Readable)) throw new Error('invariant: a runner is started with two pipes')
  quietErrors(stream, 'it ends with the process')
  const link = new Link(streamPort(stream))
  link.offer(services(link))
  const ended = endOf(child, lastReport(reports), limits)
  void ended.then(({ message }) => link.close(new Error(message)))
  return {
    link,
    pid: child.pid,
    ended,
    async stop() {
      await Promise.race([quiet(link.ask(PART_SERVICES.stop, {}), 'it may have ended'), ended, clock.sleep(limits.stopMs)])
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** What the guard has reported last. */
function lastReport(reports: Readable): () => GuardReport {
  let last: GuardReport = { is: 'alive', entered: 0, grown: 0 }
  // The guard has written it.
  createInterface(reports).on('line', (line) => {
    last = JSON.parse(line) as GuardReport
  })
  return () => last
}

/** The signals by which V8 ends a process whose heap is full. */
const HEAP_FULL: ReadonlySet<NodeJS.Signals | null> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL'])

function endOf(child: ChildProcess, report: () => GuardReport, { stuckMs }: RunnerData['limits']): Promise<RunnerEnd> {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ why: 'other', message: `programs cannot be run: ${error.message}`, blamed: 0 }))
    // All that it has written has been read then.
    child.on('close', (code, signal) => {
      const { is, entered, grown } = report()
      if (is === 'full' || HEAP_FULL.has(signal)) return resolve({ why: 'full', message: 'out of memory', blamed: grown })
      const message =
        is === 'stuck'
          ? `it has not given up the processor for ${stuckMs / 1000} s`
          : `the process of programs ended with ${signal ?? `code ${code}`}`
      resolve({ why: is === 'stuck' ? 'stuck' : 'other', message, blamed: entered })
    })
  })
}

/** It lies beside this file: as source, or bundled as an entry point of its own. */
function entryPoint(): string {
  const here = new URL(import.meta.url)
  return fileURLToPath(new URL(`./programs-runner${path.extname(here.pathname)}`, here))
}
